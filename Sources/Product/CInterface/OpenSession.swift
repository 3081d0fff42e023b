import Bytes
import CWeighbridge
import GraphIR
import Weighbridge

/// An open session.
///
/// All mutable state is used only by the thread that has access.
final class OpenSession: HandleTarget, @unchecked Sendable {
  static let kind: UInt64 = 2
  static let title = "a session"

  let model: OpenModel
  let access = ExclusiveAccess()
  let interruption: Interruption
  private let session: Session
  /// The inputs of the last call.
  private var inputs: [ArrayRecord] = []
  private var types: [TensorType] = []
  /// The outputs for these inputs; without shapes when those are known only after a run.
  private var outputs: [ArrayRecord] = []
  private var areOutputTypesKnown = false
  /// The outputs for earlier inputs, to whose shapes the caller's structs may still point.
  private var formerOutputs: [ArrayRecord] = []
  /// The elements of each input that may be left out.
  private let defaults: [OutputMemory?]
  /// The memory of outputs for which the caller provided none.
  private let memory: [OutputMemory]

  init(_ session: Session, of model: OpenModel, _ interruption: Interruption) {
    self.session = session
    self.model = model
    self.interruption = interruption
    memory = model.outputs.map { _ in OutputMemory() }
    let arrays = model.model.defaultInputs
    defaults = model.inputs.map { arrays[$0.name].map(OutputMemory.init) }
  }

  /// Describes the outputs of a run.
  func describeOutputs(_ inputArrays: CallerArrays, _ outputArrays: CallerArrays) throws {
    let indices = try outputArrays.indices(matching: model.outputs, "outputs")
    try prepare(inputArrays, try inputArrays.indices(matching: model.inputs, "inputs"))
    for (position, index) in indices.enumerated() {
      describe(position, in: &outputArrays[index].pointee)
    }
  }

  /// Computes the outputs.
  func run(_ inputArrays: CallerArrays, _ outputArrays: CallerArrays) throws {
    let (inputIndices, outputIndices) = (
      try inputArrays.indices(matching: model.inputs, "inputs"),
      try outputArrays.indices(matching: model.outputs, "outputs")
    )
    let sources = try prepareElements(inputArrays, inputIndices)
    interruption.reset()
    try areOutputTypesKnown
      ? run(sources, outputArrays, outputIndices)
      : runCopying(sources, outputArrays, outputIndices)
  }

  /// Computes the outputs once, and returns the time of each layer.
  func profile(_ arrays: CallerArrays) throws -> RunProfile {
    let sources = try prepareElements(arrays, try arrays.indices(matching: model.inputs, "inputs"))
    interruption.reset()
    return try session.profile(tensors(sources))
  }

  /// Prepares a run, and returns the elements of each input.
  private func prepareElements(
    _ arrays: CallerArrays, _ indices: [Int]
  ) throws -> [UnsafeRawPointer] {
    try prepare(arrays, indices)
    return try zip(inputs, indices).enumerated().map { position, pair in
      let (input, array) = (pair.0, arrays[pair.1].pointee)
      let given = array.data == nil ? defaults[position]?.buffer(byteCount: input.byteCount) : nil
      return UnsafeRawPointer(
        try given ?? array.elements(byteCount: input.byteCount, "the input \(input.name)"))
    }
  }

  /// Checks that the inputs are what the model takes, and determines the outputs for them.
  private func prepare(_ arrays: CallerArrays, _ indices: [Int]) throws {
    var hasSameShapes = !inputs.isEmpty
    for (position, (input, index)) in zip(model.inputs, indices).enumerated() {
      let array = arrays[index].pointee
      guard array.element_type == input.number else {
        let type = ElementType(number: array.element_type)?.rawValue ?? "no element type"
        throw Failure.mismatch(
          "the input \(input.name) takes \(input.typeDescription) and was given \(type): "
            + "convert the array")
      }
      hasSameShapes = hasSameShapes && array.hasShape(inputs[position].shape ?? [])
    }
    if hasSameShapes { return }
    let shapes = try zip(model.inputs, indices).map { input, index in
      try arrays[index].pointee.checkedShape("the input \(input.name)")
    }
    let types = zip(model.inputs, shapes).map { TensorType($0.elementType, $1) }
    let outputTypes = try session.outputTypes(for: types)
    inputs = zip(model.inputs, shapes).map { input, shape in
      ArrayRecord(input.name, input.elementType, shape: shape.map(Int64.init))
    }
    self.types = types
    areOutputTypesKnown = outputTypes != nil
    formerOutputs = outputs
    outputs = model.outputs.enumerated().map { position, output in
      let shape = outputTypes.flatMap { $0[position].fixedShape }
      return ArrayRecord(output.name, output.elementType, shape: shape?.map(Int64.init))
    }
  }

  private func run(
    _ sources: [UnsafeRawPointer], _ arrays: CallerArrays, _ indices: [Int]
  ) throws {
    var addresses: [UnsafeMutableRawPointer] = []
    for (position, (output, index)) in zip(outputs, indices).enumerated() {
      addresses.append(
        try output.memory(arrays[index].pointee)
          ?? memory[position].buffer(byteCount: output.byteCount))
    }
    try checkOverlap(sources, addresses)
    try session.run(types, from: sources, into: addresses)
    for (position, index) in indices.enumerated() {
      deliver(position, at: addresses[position], to: &arrays[index].pointee)
    }
  }

  /// Runs a model whose output shapes are known only after the run.
  private func runCopying(
    _ sources: [UnsafeRawPointer], _ arrays: CallerArrays, _ indices: [Int]
  ) throws {
    let results = try session.run(tensors(sources)).outputs
    formerOutputs = outputs
    outputs = results.map { result in
      ArrayRecord(
        result.name, result.tensor.elementType, shape: result.tensor.shape.map(Int64.init))
    }
    inputs = []  // the next inputs may have other output shapes
    for (position, (output, index)) in zip(outputs, indices).enumerated() {
      let address =
        try output.memory(arrays[index].pointee)
        ?? memory[position].buffer(byteCount: output.byteCount)
      address.copyMemory(
        from: results[position].tensor.contiguousBytes(), byteCount: output.byteCount)
      deliver(position, at: address, to: &arrays[index].pointee)
    }
  }

  /// Copies the inputs.
  private func tensors(_ sources: [UnsafeRawPointer]) -> [NamedTensor] {
    zip(inputs, zip(types, sources)).map { input, source in
      // The caller guarantees this many bytes; `prepareElements` has checked it.
      let bytes = UnsafeRawBufferPointer(start: source.1, count: input.byteCount)
      let tensor = Tensor(
        input.elementType, shape: source.0.fixedShape ?? [], bytes: [UInt8](bytes))
      return NamedTensor(name: input.name, tensor: tensor)
    }
  }

  private func deliver(
    _ position: Int, at address: UnsafeMutableRawPointer, to array: inout weighbridge_array
  ) {
    guard array.data == nil else { return }
    describe(position, in: &array)
    array.data = address
  }

  private func describe(_ position: Int, in array: inout weighbridge_array) {
    model.outputs[position].describe(&array)  // the name pointer stays the same
    let name = array.name
    outputs[position].describe(&array)
    array.name = name
  }

  private func checkOverlap(
    _ sources: [UnsafeRawPointer], _ targets: [UnsafeMutableRawPointer]
  ) throws(Failure) {
    let read = zip(inputs, sources).map { ($0, UInt(bitPattern: $1)) }
    let written = zip(outputs, targets).map { ($0, UInt(bitPattern: $1)) }
    for (position, (output, start)) in written.enumerated() {
      let others = read + written[(position + 1)...]
      for (other, otherStart) in others
      where start < otherStart + UInt(other.byteCount)
        && otherStart < start + UInt(output.byteCount)
      {
        throw .invalidArgument("the memory of \(output.name) overlaps that of \(other.name)")
      }
    }
  }
}

extension ArrayRecord {
  /// Returns the caller's memory for an output; `nil` when the session is to provide it.
  fileprivate func memory(
    _ array: weighbridge_array
  ) throws(Failure) -> UnsafeMutableRawPointer? {
    guard array.data != nil else { return nil }
    guard array.element_type == number, array.hasShape(shape ?? []) else {
      throw .mismatch(
        "the output \(name) is \(typeDescription); the array for it has another type or shape")
    }
    return try array.elements(byteCount: byteCount, "the array for the output \(name)")
  }
}

/// Memory for a result, owned by the library.
final class OutputMemory {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  init() {}

  /// Creates a copy of an array's elements.
  init(_ tensor: Tensor) {
    let bytes = tensor.contiguousBytes()
    buffer(byteCount: bytes.count).copyMemory(from: bytes, byteCount: bytes.count)
  }

  /// Returns a buffer of at least a number of bytes, aligned for the kernels; its former content is
  /// lost.
  func buffer(byteCount: Int) -> UnsafeMutableRawPointer {
    if let address = memory.baseAddress, memory.count >= byteCount { return address }
    memory.deallocate()
    memory = .allocate(byteCount: max(byteCount, 64), alignment: 64)
    // The buffer is never empty here, so it has an address.
    return memory.baseAddress.unsafelyUnwrapped
  }

  deinit { memory.deallocate() }
}
