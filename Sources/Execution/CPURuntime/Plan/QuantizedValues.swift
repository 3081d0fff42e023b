import CKernels
import GraphIR
import LayerCatalog

/// How a value is stored as 8-bit integers or as bfloat16.
struct ReducedForm: Hashable, Sendable {
  let isBFloat16: Bool
  /// Whether numbers are divided by the scale, or else multiplied by its reciprocal.
  let divides: Bool
  /// The integer that stands for NaN.
  let nan: UInt8
  /// Of integers; 1 and 0 for bfloat16.
  let scale: Float
  let zeroPoint: UInt8
  /// The axis that varies fastest in memory.
  let channelAxis: Int

  init(_ quantization: InputQuantization, channelAxis: Int) {
    switch quantization.elements {
    case .integers(let integers):
      (isBFloat16, scale, zeroPoint) = (false, integers.scale, integers.zeroPoint)
    case .bfloat16: (isBFloat16, scale, zeroPoint) = (true, 1, 0)
    }
    (divides, nan) = (false, 0)
    self.channelAxis = channelAxis
  }

  init(_ rounding: FakeQuantization, channelAxis: Int) {
    (isBFloat16, divides) = (false, true)
    (scale, zeroPoint, nan) = (rounding.scale, rounding.zeroPoint, rounding.nan)
    self.channelAxis = channelAxis
  }
}

/// The values that exist as 8-bit integers or bfloat16, and those of them that are not needed as
/// floats.
struct QuantizedValues: Sendable {
  /// The forms in which values are read.
  private var requested: [ValueID: Set<ReducedForm>] = [:]
  /// The values that are read as floats.
  private var floats: Set<ValueID> = []
  /// The storages that exist already.
  private var stored: [ValueID: [ReducedForm: Storage]] = [:]
  /// Whether all values exist as floats.
  private(set) var keepsFloats = false
  /// The values that are rounded to integers.
  private var roundings: [ValueID: FakeQuantization] = [:]
  /// For each rank, the axis of the channels in the first layer with an input of this rank.
  private var channelAxes: [Int: Int] = [:]

  /// No quantized values.
  init() {}

  /// Visits all readers in reverse: the form that a pooling reads depends on the readers of its
  /// result.
  ///
  /// - Parameter keepsFloats: Whether all values exist as floats.
  init(_ groups: [NodeGroup], _ builder: PlanBuilder, keepsFloats: Bool) {
    roundings = builder.roundings
    guard !roundings.isEmpty || groups.contains(where: { $0.quantization != nil }) else { return }
    for group in groups {
      guard let operation = group.operation as? any QuantizableOperator else { continue }
      let rank = builder.shape(of: group.inputs[0]).count
      channelAxes[rank] = channelAxes[rank] ?? operation.outputChannelAxis(rank: rank)
    }
    self.keepsFloats = keepsFloats
    floats = keepsFloats ? Set(groups.flatMap(\.outputs)) : []
    for port in builder.graph.outputs { requestFloats(port.value, builder) }
    for group in groups.reversed() where !group.isFakeQuantization {
      let form = group.reducedForm(builder) ?? poolingForm(group, builder)
      if let form { request(group.inputs[0], form) }
      for id in form == nil ? group.inputs[...] : group.inputs.dropFirst() {
        requestFloats(id, builder)
      }
      guard let summand = group.summand else { continue }
      if let form = group.summandForm(builder) {
        request(summand, form)
      } else {
        requestFloats(summand, builder)
      }
    }
  }

  private mutating func request(_ id: ValueID, _ form: ReducedForm) {
    requested[source(of: id, form), default: []].insert(form)
  }

  /// Floats of a value that is rounded to integers are made from these.
  private mutating func requestFloats(_ id: ValueID, _ builder: PlanBuilder) {
    if let rounding = roundings[id] {
      request(id, form(of: id, rounding, builder))
    } else {
      floats.insert(id)
    }
  }

  /// The form of the integers that a value is rounded to.
  func form(
    of id: ValueID, _ rounding: FakeQuantization, _ builder: PlanBuilder
  ) -> ReducedForm {
    let rank = builder.shape(of: id).count
    return rounding.form(channelAxis: channelAxes[rank] ?? rank - 1)
  }

  /// The value that has a form in common with another one, which is made by rounding it.
  func source(of id: ValueID, _ form: ReducedForm) -> ValueID {
    var id = id
    while let rounding = roundings[id], rounding.form(channelAxis: form.channelAxis) == form {
      id = rounding.input
    }
    return id
  }

  /// The one form in which a value is read; `nil` when there is none, or several.
  func form(of id: ValueID) -> ReducedForm? {
    requested[id].flatMap { $0.count == 1 ? $0.first : nil }
  }

  /// Whether a value must exist as floats.
  func needsFloats(_ id: ValueID) -> Bool { floats.contains(id) || form(of: id) == nil }

  /// The reduced form of a pooling's input and output; `nil` if it reads floats.
  func poolingForm(_ group: NodeGroup, _ builder: PlanBuilder) -> ReducedForm? {
    guard let pooling = group.operation as? MaxPooling, !pooling.window.mayLieInPadding,
      let form = form(of: group.outputs[0]), !needsFloats(group.outputs[0])
    else { return nil }
    let rank = builder.shape(of: group.inputs[0]).count
    return rank <= 4 && form.channelAxis == pooling.layout.channelAxis(rank: rank) ? form : nil
  }

  /// The storage of a value in a form, if it exists.
  func storage(of id: ValueID, _ form: ReducedForm) -> Storage? { stored[id]?[form] }

  /// Records the storage of a value in a form.
  mutating func record(_ storage: Storage, of id: ValueID, _ form: ReducedForm) {
    stored[id, default: [:]][form] = storage
  }
}

extension NodeGroup {
  /// The form in which the group reads its data, if it is computed with integers or bfloat16.
  func reducedForm(_ builder: PlanBuilder) -> ReducedForm? {
    if let rounding, let axis = channelAxis(builder) { return rounding.form(channelAxis: axis) }
    return quantization.flatMap { form($0, builder) }
  }

  /// The form in which it reads the tensor that it adds, if that is not floats.
  func summandForm(_ builder: PlanBuilder) -> ReducedForm? {
    guard canAddIntegers, readsReduced else { return nil }
    if let rounding = summand.flatMap({ builder.roundings[$0] }), let axis = channelAxis(builder) {
      return rounding.form(channelAxis: axis)
    }
    return summandQuantization.flatMap { form($0, builder) }
  }

  /// The quantization of the tensor that is added, if it has one.
  var summandQuantization: InputQuantization? {
    for case .sum(_, let quantization) in additions { return quantization }
    return nil
  }

  /// Whether kernels can add integers or bfloat16 to the group's result: at most a ReLU may precede
  /// the sum, and at most one function may follow it. Otherwise the sum is a separate step.
  var canAddIntegers: Bool {
    let parts = postOperations.split(omittingEmptySubsequences: false) {
      if case .sum = $0 { true } else { false }
    }
    guard parts.count == 2, parts[0].count <= 1, parts[1].count <= 1 else { return false }
    guard case .function(let function)? = parts[0].first else { return true }
    return function.function == kernels_function_relu
  }

  private func form(_ quantization: InputQuantization, _ builder: PlanBuilder) -> ReducedForm? {
    channelAxis(builder).map { ReducedForm(quantization, channelAxis: $0) }
  }

  /// The axis of the channels of a layer that can be computed with integers or bfloat16.
  private func channelAxis(_ builder: PlanBuilder) -> Int? {
    (operation as? any QuantizableOperator)?
      .outputChannelAxis(rank: builder.shape(of: inputs[0]).count)
  }
}
