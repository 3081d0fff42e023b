import Bytes
import CKernels

/// A step of a plan.
struct Step: Sendable {
  /// The work of a step.
  enum Work: Sendable {
    /// A primitive.
    case primitive(Primitive, [PrimitiveArgument])
    /// A kernel written in Swift.
    case kernel(name: String, @Sendable (KernelMemory) throws(WeighbridgeError) -> Void)
    /// The reference kernel of the group's node.
    case reference(ReferenceCall)
  }

  /// The group that it is done for, by its position in the plan.
  let group: Int
  let work: Work
  /// The memory that it reads or writes.
  let storages: [Storage]
}

/// An argument of a primitive: its role, and memory in the layout that the primitive requires.
struct PrimitiveArgument: Sendable {
  let role: kernels_role
  /// The index among arguments of the same role.
  var number = 0
  let storage: Storage
}

/// The addresses of storages while a plan runs.
@safe struct KernelMemory {
  private var regions: [UnsafeMutableRawPointer]
  private let constants: [ConstantMemory]

  init(regions: [UnsafeMutableRawPointer], constants: [ConstantMemory]) {
    unsafe self.regions = unsafe regions
    self.constants = constants
  }

  /// Moves a region to another address.
  mutating func move(_ region: Int, to address: UnsafeMutableRawPointer) {
    unsafe regions[region] = unsafe address
  }

  /// The address of a storage; of a constant, only for reading.
  subscript(storage: Storage) -> UnsafeMutableRawPointer {
    switch storage.memory {
    case .region(let number): unsafe regions[number] + storage.offset
    case .constant(let number): unsafe constants[number].address + storage.offset
    }
  }

  /// The elements of a row-major float32 tensor.
  func floats(_ tensor: StoredTensor) -> UnsafeMutableBufferPointer<Float> {
    let count = tensor.shape.reduce(1, *)
    // The storage was allocated for all elements of this tensor.
    return unsafe UnsafeMutableBufferPointer(
      start: self[tensor.storage].bindMemory(to: Float.self, capacity: count), count: count)
  }
}
