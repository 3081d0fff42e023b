import Bytes
import CWeighbridge
import GraphIR
import Weighbridge

/// An open session.
///
/// All mutable state is used only by the thread that has the turn.
final class OpenSession: Handled, @unchecked Sendable {
  static let kind: UInt64 = 2
  static let title = "a session"

  let model: OpenModel
  let turn = Turn()
  let interruption: Interruption
  private let session: Session
  /// The inputs of the last call.
  private var inputs: [ArrayRecord] = []
  private var types: [TensorType] = []
  /// The outputs for these inputs; without shapes when they are known only after a run.
  private var outputs: [ArrayRecord] = []
  private var areOutputsKnown = false
  /// The outputs for earlier inputs, to whose shapes the caller's structs may still point.
  private var formerOutputs: [ArrayRecord] = []
  /// The memory of outputs for which the caller provided none.
  private let memory: [OutputMemory]

  init(_ session: Session, of model: OpenModel, _ interruption: Interruption) {
    self.session = session
    self.model = model
    self.interruption = interruption
    memory = model.outputs.map { _ in OutputMemory() }
  }

  /// Describes the outputs of a run.
  func describeOutputs(_ given: ArrayList, _ wanted: ArrayList) throws {
    let places = try wanted.places(model.outputs, "outputs")
    try prepare(given, try given.places(model.inputs, "inputs"))
    for (position, place) in places.enumerated() { describe(position, in: &wanted[place].pointee) }
  }

  /// Computes the outputs.
  func run(_ given: ArrayList, _ wanted: ArrayList) throws {
    let (places, targets) = (
      try given.places(model.inputs, "inputs"), try wanted.places(model.outputs, "outputs")
    )
    try prepare(given, places)
    var sources: [UnsafeRawPointer] = []
    for (input, place) in zip(inputs, places) {
      let address = try given[place].pointee.elements(input.byteCount, "the input \(input.name)")
      sources.append(UnsafeRawPointer(address))
    }
    interruption.begin()
    try areOutputsKnown ? run(sources, wanted, targets) : runCopying(sources, wanted, targets)
  }

  /// Checks that the inputs are what the model takes, and determines the outputs for them.
  private func prepare(_ given: ArrayList, _ places: [Int]) throws {
    var isSame = !inputs.isEmpty
    for (position, (input, place)) in zip(model.inputs, places).enumerated() {
      let array = given[place].pointee
      guard array.element_type == input.number else {
        let type = ElementType(number: array.element_type)?.rawValue ?? "no element type"
        throw Failure.mismatch(
          "the input \(input.name) takes \(input.text) and was given \(type): convert the array")
      }
      isSame = isSame && array.has(inputs[position].shape ?? [])
    }
    if isSame { return }
    let shapes = try zip(model.inputs, places).map { input, place in
      try given[place].pointee.sizes("the input \(input.name)")
    }
    let types = zip(model.inputs, shapes).map { TensorType($0.elementType, $1) }
    let outputTypes = try session.outputTypes(for: types)
    inputs = zip(model.inputs, shapes).map { input, shape in
      ArrayRecord(input.name, input.elementType, shape: shape.map(Int64.init))
    }
    self.types = types
    areOutputsKnown = outputTypes != nil
    formerOutputs = outputs
    outputs = model.outputs.enumerated().map { position, output in
      let shape = outputTypes.flatMap { $0[position].fixedShape }
      return ArrayRecord(output.name, output.elementType, shape: shape?.map(Int64.init))
    }
  }

  private func run(
    _ sources: [UnsafeRawPointer], _ wanted: ArrayList, _ targets: [Int]
  ) throws {
    var addresses: [UnsafeMutableRawPointer] = []
    for (position, (output, place)) in zip(outputs, targets).enumerated() {
      addresses.append(
        try output.memory(wanted[place].pointee) ?? memory[position].room(output.byteCount))
    }
    try checkOverlap(sources, addresses)
    try session.run(types, from: sources, into: addresses)
    for (position, place) in targets.enumerated() {
      deliver(position, at: addresses[position], to: &wanted[place].pointee)
    }
  }

  /// Runs a model whose output shapes are known only after the run.
  private func runCopying(
    _ sources: [UnsafeRawPointer], _ wanted: ArrayList, _ targets: [Int]
  ) throws {
    let arrays = zip(inputs, zip(types, sources)).map { input, source in
      // The caller guarantees this many bytes; `run` has checked it.
      let bytes = UnsafeRawBufferPointer(start: source.1, count: input.byteCount)
      let tensor = Tensor(
        input.elementType, shape: source.0.fixedShape ?? [], bytes: [UInt8](bytes))
      return NamedTensor(name: input.name, tensor: tensor)
    }
    let results = try session.run(arrays).outputs
    formerOutputs = outputs
    outputs = results.map { result in
      ArrayRecord(
        result.name, result.tensor.elementType, shape: result.tensor.shape.map(Int64.init))
    }
    inputs = []  // the next inputs may have other output shapes
    for (position, (output, place)) in zip(outputs, targets).enumerated() {
      let address =
        try output.memory(wanted[place].pointee) ?? memory[position].room(output.byteCount)
      address.copyMemory(
        from: results[position].tensor.contiguousBytes(), byteCount: output.byteCount)
      deliver(position, at: address, to: &wanted[place].pointee)
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
    guard array.element_type == number, array.has(shape ?? []) else {
      throw .mismatch("the output \(name) is \(text), and the array for it is another one")
    }
    return try array.elements(byteCount, "the array for the output \(name)")
  }
}

/// Memory of the library for a result.
final class OutputMemory {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// Returns memory for a number of bytes, aligned for the kernels; its former content is lost.
  func room(_ byteCount: Int) -> UnsafeMutableRawPointer {
    if let address = memory.baseAddress, memory.count >= byteCount { return address }
    memory.deallocate()
    memory = .allocate(byteCount: max(byteCount, 64), alignment: 64)
    // The buffer is never empty here, so it has an address.
    return memory.baseAddress.unsafelyUnwrapped
  }

  deinit { memory.deallocate() }
}
