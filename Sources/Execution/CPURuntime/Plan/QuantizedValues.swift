import CKernels
import GraphIR
import LayerCatalog

/// How a value is stored as 8-bit integers.
struct IntegerForm: Hashable, Sendable {
  let scale: Float
  let zeroPoint: UInt8
  /// The axis that varies fastest in memory.
  let channelAxis: Int

  init(_ quantization: InputQuantization, channelAxis: Int) {
    (scale, zeroPoint) = (quantization.scale, quantization.zeroPoint)
    self.channelAxis = channelAxis
  }
}

/// The values that exist as 8-bit integers, and those of them that are not needed as floats.
struct QuantizedValues: Sendable {
  /// The forms in which values are read.
  private var wanted: [ValueID: Set<IntegerForm>] = [:]
  /// The values that are read as floats.
  private var floats: Set<ValueID> = []
  /// What exists already.
  private var stored: [ValueID: [IntegerForm: Storage]] = [:]

  /// No value exists as integers.
  init() {}

  /// Looks at all readers, the last first: what a pooling reads depends on what is read of its result.
  ///
  /// - Parameter keepsFloats: Whether all values exist as floats.
  init(_ groups: [NodeGroup], _ builder: PlanBuilder, keepsFloats: Bool) {
    guard groups.contains(where: { $0.quantization != nil }) else { return }
    floats = keepsFloats ? Set(groups.flatMap(\.outputs)) : []
    floats.formUnion(builder.graph.outputs.map(\.value))
    for group in groups.reversed() {
      let form = group.integerForm(builder) ?? poolingForm(group, builder)
      if let form { wanted[group.inputs[0], default: []].insert(form) }
      floats.formUnion(form == nil ? group.inputs[...] : group.inputs.dropFirst())
      guard let summand = group.summand else { continue }
      if let form = group.summandForm(builder) {
        wanted[summand, default: []].insert(form)
      } else {
        floats.insert(summand)
      }
    }
  }

  /// The one form in which a value is read; `nil` when there is none, or several.
  func form(of id: ValueID) -> IntegerForm? {
    wanted[id].flatMap { $0.count == 1 ? $0.first : nil }
  }

  /// Whether a value must exist as floats.
  func needsFloats(_ id: ValueID) -> Bool { floats.contains(id) || form(of: id) == nil }

  /// The form in which a pooling reads and makes integers; `nil` when it does not.
  func poolingForm(_ group: NodeGroup, _ builder: PlanBuilder) -> IntegerForm? {
    guard let pooling = group.operation as? MaxPooling, !pooling.window.mayLieInPadding,
      let form = form(of: group.outputs[0]), !needsFloats(group.outputs[0])
    else { return nil }
    let rank = builder.shape(of: group.inputs[0]).count
    return rank <= 4 && form.channelAxis == pooling.layout.channelAxis(rank: rank) ? form : nil
  }

  /// Where the integers of a value lie, if they exist.
  func storage(of id: ValueID, _ form: IntegerForm) -> Storage? { stored[id]?[form] }

  /// Notes where the integers of a value lie.
  mutating func record(_ storage: Storage, of id: ValueID, _ form: IntegerForm) {
    stored[id, default: [:]][form] = storage
  }
}

extension NodeGroup {
  /// The form in which the group reads its data, if it is computed by integers.
  func integerForm(_ builder: PlanBuilder) -> IntegerForm? {
    quantization.flatMap { form($0, builder) }
  }

  /// The form in which it reads the tensor that it adds, if that is integers.
  func summandForm(_ builder: PlanBuilder) -> IntegerForm? {
    canAddIntegers ? summandQuantization.flatMap { form($0, builder) } : nil
  }

  /// The quantization of the tensor that is added, if it has one.
  var summandQuantization: InputQuantization? {
    for case .sum(_, let quantization) in additions { return quantization }
    return nil
  }

  /// Whether kernels can add integers to what the group computes by integers: there must be at most a ReLU in
  /// front of the sum, and at most one function behind it. Otherwise the sum is a step of its own.
  var canAddIntegers: Bool {
    let parts = postOperations.split(omittingEmptySubsequences: false) {
      if case .sum = $0 { true } else { false }
    }
    guard parts.count == 2, parts[0].count <= 1, parts[1].count <= 1 else { return false }
    guard case .function(let function)? = parts[0].first else { return true }
    return function.function == kernels_function_relu
  }

  private func form(_ quantization: InputQuantization, _ builder: PlanBuilder) -> IntegerForm? {
    guard let operation = operation as? any QuantizableOperator else { return nil }
    let rank = builder.shape(of: inputs[0]).count
    return IntegerForm(quantization, channelAxis: operation.outputChannelAxis(rank: rank))
  }
}
