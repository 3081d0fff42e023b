import Bytes
import GraphIR

/// Inputs and outputs in the caller's memory.
extension Execution {
  /// Uses the caller's memory for an input; copies the input if the engine holds it in another type
  /// or the address is not aligned.
  func borrowInput(_ position: Int, at address: UnsafeRawPointer) {
    guard let input = input(position), let parts = plan.borrowing?.inputs[position] else { return }
    let type = elementType(of: plan.graph.inputs[position])
    guard unsafe canBorrow(parts, type, input, address) else {
      unsafe place(parts, at: nil)
      // The caller has as many elements as the plan expects.
      let bytes = unsafe UnsafeRawBufferPointer(start: address, count: input.byteCount(as: type))
      return unsafe write(
        Tensor(type, shape: input.shape, bytes: [UInt8](bytes)), toInput: position)
    }
    // A plan that borrows memory does not write to its inputs.
    unsafe place(parts, at: UnsafeMutableRawPointer(mutating: address))
  }

  /// Uses the caller's memory for an output if possible.
  func borrowOutput(_ position: Int, at address: UnsafeMutableRawPointer) {
    guard let parts = plan.borrowing?.outputs[position] else { return }
    let type = elementType(of: plan.graph.outputs[position])
    let isPossible = unsafe canBorrow(parts, type, plan.outputs[position], address)
    unsafe place(parts, at: isPossible ? address : nil)
  }

  /// Copies an output to the caller's memory, unless it was computed there.
  func deliverOutput(_ position: Int, to address: UnsafeMutableRawPointer) {
    let stored = plan.outputs[position]
    let source = unsafe memory[stored.storage]
    guard unsafe source != address else { return }
    guard stored.elementType == elementType(of: plan.graph.outputs[position]) else {
      var target = unsafe address
      return output(position).withPieces { bytes in
        // The caller's buffer has the size of the output in the plan.
        unsafe bytes.withUnsafeBytes { bytes in
          guard let start = bytes.baseAddress else { return }
          unsafe target.copyMemory(from: start, byteCount: bytes.count)
          unsafe target += bytes.count
        }
      }
    }
    unsafe address.copyMemory(from: source, byteCount: stored.byteCount(as: stored.elementType))
  }

  private func elementType(of port: Port) -> ElementType {
    plan.graph[port.value].type.elementType
  }

  private func canBorrow(
    _ parts: [BorrowedMemory.Part], _ type: ElementType, _ stored: StoredTensor,
    _ address: UnsafeRawPointer
  ) -> Bool {
    !parts.isEmpty && stored.elementType == type
      && Int(bitPattern: address).isMultiple(of: type.byteCount)
  }
}

extension StoredTensor {
  /// The row-major size in bytes with elements of a type.
  fileprivate func byteCount(as type: ElementType) -> Int { shape.reduce(type.byteCount, *) }
}
