import Bytes
import GraphIR

/// Inputs and outputs in memory of the caller's.
extension Execution {
  /// Lets an input lie where the caller has it; copies it when the engine holds it in another type, or
  /// the address is not aligned.
  func borrowInput(_ position: Int, at address: UnsafeRawPointer) {
    guard let input = input(position), let parts = plan.borrowing?.inputs[position] else { return }
    let type = elementType(of: plan.graph.inputs[position])
    guard canBorrow(parts, type, input, address) else {
      place(parts, at: nil)
      // The caller has as many elements as the plan was made for.
      let bytes = UnsafeRawBufferPointer(start: address, count: input.byteCount(as: type))
      return write(Tensor(type, shape: input.shape, bytes: [UInt8](bytes)), toInput: position)
    }
    // A plan that borrows memory does not write to its inputs.
    place(parts, at: UnsafeMutableRawPointer(mutating: address))
  }

  /// Lets an output lie where the caller wants it, when the plan can do so.
  func borrowOutput(_ position: Int, at address: UnsafeMutableRawPointer) {
    guard let parts = plan.borrowing?.outputs[position] else { return }
    let type = elementType(of: plan.graph.outputs[position])
    let isPossible = canBorrow(parts, type, plan.outputs[position], address)
    place(parts, at: isPossible ? address : nil)
  }

  /// Copies an output to where the caller wants it, unless it is there already.
  func deliverOutput(_ position: Int, to address: UnsafeMutableRawPointer) {
    let stored = plan.outputs[position]
    let source = memory[stored.storage]
    guard source != address else { return }
    guard stored.elementType == elementType(of: plan.graph.outputs[position]) else {
      var target = address
      return output(position).withPieces { bytes in
        // The caller has room for as many elements as the plan says that there are.
        bytes.withUnsafeBytes { bytes in
          guard let start = bytes.baseAddress else { return }
          target.copyMemory(from: start, byteCount: bytes.count)
          target += bytes.count
        }
      }
    }
    address.copyMemory(from: source, byteCount: stored.byteCount(as: stored.elementType))
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
  /// The size in bytes of its elements in a type, row-major.
  fileprivate func byteCount(as type: ElementType) -> Int { shape.reduce(type.byteCount, *) }
}
