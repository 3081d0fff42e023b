import Bytes
import GraphIR
import LayerCatalog

/// A reference kernel on tensors of the arena.
struct ReferenceCall: Sendable {
  /// An input of the kernel.
  enum Input: Sendable {
    /// A weight, as the model has it.
    case constant(Tensor)
    /// A row-major tensor, converted to the kernel's type.
    case stored(StoredTensor, as: ElementType)
  }

  let operation: any CatalogOperator
  /// The quantization of the data, if the operator is computed with 8-bit integers or bfloat16.
  let quantization: InputQuantization?
  /// The layer, for errors.
  let place: String
  let inputs: [Input]
  /// The outputs, in row-major order.
  let outputs: [StoredTensor]

  /// The memory that it reads or writes.
  var storages: [Storage] {
    outputs.map(\.storage)
      + inputs.compactMap { if case .stored(let tensor, _) = $0 { tensor.storage } else { nil } }
  }

  /// Runs the kernel.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` at the layer, if an element is invalid.
  func run(_ memory: KernelMemory, workers: Workers) throws(WeighbridgeError) {
    let tensors = inputs.map { input in
      switch input {
      case .constant(let tensor): tensor
      case .stored(let stored, let type): memory.tensor(stored).held(as: type)
      }
    }
    let results: [Tensor]
    do throws(WeighbridgeError) {
      results = try operation.evaluate(
        tensors, quantization: quantization, workers: workers)
    } catch { throw error.at(layer: place) }
    for (result, output) in zip(results, outputs) {
      let held = result.held(as: output.elementType)
      precondition(
        result.type.held == TensorType(output.elementType, output.shape),
        "the kernel of \(operation.kind) breaks its shape rule")
      memory.write(held, to: output.storage)
    }
  }
}

extension KernelMemory {
  /// A copy of a row-major tensor.
  func tensor(_ stored: StoredTensor) -> Tensor {
    let count = stored.shape.reduce(stored.elementType.byteCount, *)
    // The storage was allocated for this tensor.
    let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: self[stored.storage], count: count))
    return Tensor(stored.elementType, shape: stored.shape, bytes: bytes)
  }

  /// Writes a tensor in row-major order.
  func write(_ tensor: Tensor, to storage: Storage) {
    var target = unsafe self[storage]
    tensor.withPieces { bytes in
      // The storage was allocated for a tensor of this type, so all pieces fit.
      unsafe bytes.withUnsafeBytes { bytes in
        guard let source = bytes.baseAddress else { return }
        unsafe target.copyMemory(from: source, byteCount: bytes.count)
        unsafe target += bytes.count
      }
    }
  }
}
