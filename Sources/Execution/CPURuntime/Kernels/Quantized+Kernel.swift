import Bytes
import CKernels
import GraphIR
import LayerCatalog

extension PlanBuilder {
  /// Adds a convolution, a transposed one or a fully connected layer that is computed with 8-bit
  /// integers or bfloat16.
  ///
  /// - Parameter window: Of a convolution; `nil` for a fully connected layer.
  mutating func addQuantized(
    _ window: Window?, _ layout: DataLayout, groups: Int = 1, isTransposed: Bool = false,
    hasBias: Bool, for group: NodeGroup
  ) -> Bool {
    guard let form = group.reducedForm(self), let kernel = graph[group.inputs[1]].constant,
      let sizes = QuantizedSizes(window, layout, group, self, isTransposed: isTransposed)
    else { return false }
    let output = group.outputs[0]
    let kernelForm = QuantizedKernel.Form(
      isBFloat16: form.isBFloat16, groups: groups, isTransposed: isTransposed)
    let sizeOfWeights = kernelForm.sizes(of: kernel)
    guard
      let folded = FoldedWeights(
        group, bias: hasBias ? group.inputs[2] : nil, channels: Int(sizeOfWeights.out), graph)
    else { return false }
    let requested = quantized.form(of: output)
    let stored = requested.flatMap { $0.channelAxis == form.channelAxis ? $0 : nil }
    let storesFloats = stored == nil || quantized.needsFloats(output)
    let summandForm = group.summandForm(self)
    if group.summandQuantization != nil, summandForm == nil { return false }
    let none = kernels_quantization(
      is_bfloat16: form.isBFloat16, scale: 1, zero_point: 0, divides: false, nan: 0)
    let result = kernels_quantized_result(
      stores_floats: storesFloats, stores_reduced: stored != nil,
      quantization: stored?.quantization ?? none, adds_reduced: summandForm != nil,
      summand: summandForm?.quantization ?? none)
    let handle = unsafe group.postOperations.withOperations { post in
      unsafe sizes.window.withArguments {
        unsafe kernels_quantized_convolution(
          sizes.source.handle, sizes.target.handle, $0, isTransposed, sizeOfWeights,
          form.quantization, post, result)
      }
    }
    guard let primitive = unsafe Primitive(owning: handle),
      let source = addReduced(of: group.inputs[0], form),
      let floats = pixelLayout(of: output, channelAxis: form.channelAxis)
    else { return false }
    var storages = [(kernels_role_source, source)]
    storages += parameters(
      weights.quantized(kernel, group.inputs[1], kernelForm), folded, form)
    if let summandForm, let summand = group.summand {
      guard let reduced = addReduced(of: summand, summandForm) else { return false }
      storages.append((kernels_role_second_source, reduced))
      if storesFloats {
        storages.append((kernels_role_target, makeTensor(output, layout: floats).storage))
      }
    } else if storesFloats {
      guard let target = makeTarget(group, floats) else { return false }
      storages.append((kernels_role_target, target.storage))
    } else if let summand = group.summand {
      guard let other = tensor(summand, as: floats) else { return false }
      storages.append((kernels_role_target, other.storage))
    }
    if let stored { storages += addReducedTarget(of: primitive, output, stored) }
    add(primitive, storages)
    return true
  }

  /// Adds a max pooling of integers or bfloat16, if its result is only read in that form.
  mutating func addQuantizedPooling(
    _ window: Window, _ order: DataLayout, for group: NodeGroup
  ) -> Bool {
    guard let form = quantized.poolingForm(group, self),
      let sizes = QuantizedSizes(window, order, group, self),
      let primitive = unsafe Primitive(
        owning: sizes.window.withArguments {
          unsafe kernels_quantized_pool(
            sizes.source.handle, sizes.target.handle, $0, form.isBFloat16, hasZeroPadding(group))
        }),
      let source = addReduced(of: group.inputs[0], form)
    else { return false }
    let target = addReducedTarget(of: primitive, group.outputs[0], form)
    add(primitive, [(kernels_role_source, source)] + target)
    return true
  }

  /// Adds the rounding of a value to integers, if all values must exist as floats; otherwise its readers
  /// add what they need.
  mutating func addFakeQuantization(_ group: NodeGroup) {
    if quantized.keepsFloats { _ = tensor(group.outputs[0]) }
  }

  /// Makes a value that is rounded to integers from these.
  mutating func addFloats(of id: ValueID, _ rounding: FakeQuantization) -> StoredTensor? {
    let form = quantized.form(of: id, rounding, self)
    guard let floats = pixelLayout(of: id, channelAxis: form.channelAxis),
      let source = addReduced(of: id, form)
    else { return nil }
    let result = kernels_quantized_result(
      stores_floats: true, stores_reduced: false, quantization: form.quantization,
      adds_reduced: false, summand: form.quantization)
    guard
      let primitive = elementwise([form], kernels_combination_add, [], of: id, form, result)
    else { return nil }
    let target = makeTensor(id, layout: floats)
    add(primitive, [(kernels_role_source, source), (kernels_role_target, target.storage)])
    return target
  }

  /// Adds a sum, a product or functions of values that are rounded to integers.
  mutating func addCombination(_ group: NodeGroup) -> Bool {
    let output = group.outputs[0]
    let forms = group.inputs.compactMap { id in
      roundings[id].map { quantized.form(of: id, $0, self) }
    }
    guard forms.count == group.inputs.count, let form = forms.first,
      let floats = pixelLayout(of: output, channelAxis: form.channelAxis)
    else { return false }
    let requested = quantized.form(of: output)
    let stored = requested.flatMap {
      $0.channelAxis == form.channelAxis && !$0.isBFloat16 ? $0 : nil
    }
    let storesFloats = stored == nil || quantized.needsFloats(output)
    let result = kernels_quantized_result(
      stores_floats: storesFloats, stores_reduced: stored != nil,
      quantization: (stored ?? form).quantization, adds_reduced: false, summand: form.quantization)
    let combination =
      group.operation is Multiply ? kernels_combination_multiply : kernels_combination_add
    let functions = ElementFunction.functions(of: group.operation) ?? []
    let sources = zip(group.inputs, forms).compactMap { addReduced(of: $0, $1) }
    guard sources.count == forms.count,
      let primitive = elementwise(
        forms, combination, functions.map(PostOperation.function) + group.postOperations,
        of: output, form, result)
    else { return false }
    var storages = Array(zip([kernels_role_source, kernels_role_second_source], sources))
    if storesFloats {
      storages.append((kernels_role_target, makeTensor(output, layout: floats).storage))
    }
    if let stored { storages += addReducedTarget(of: primitive, output, stored) }
    add(primitive, storages)
    return true
  }

  /// The primitive of an elementwise operation on integers of the given forms.
  private func elementwise(
    _ operands: [ReducedForm], _ combination: kernels_combination, _ post: [PostOperation],
    of id: ValueID, _ form: ReducedForm, _ result: kernels_quantized_result
  ) -> Primitive? {
    let axes = pixelAxes(of: id, form.channelAxis)
    guard let plain = Layout.rowMajor(axes.map { shape(of: id)[$0] }) else { return nil }
    let handle = unsafe post.withOperations { post in
      guard operands.count > 1 else {
        return unsafe kernels_quantized_elementwise(
          plain.handle, operands[0].quantization, nil, combination, post, result)
      }
      // It is copied during the call.
      return unsafe withUnsafePointer(to: operands[1].quantization) {
        unsafe kernels_quantized_elementwise(
          plain.handle, operands[0].quantization, $0, combination, post, result)
      }
    }
    return unsafe Primitive(owning: handle)
  }

  /// A value in a reduced form: the stored one, or quantized from its floats.
  private mutating func addReduced(of id: ValueID, _ form: ReducedForm) -> Storage? {
    let id = quantized.source(of: id, form)
    if let storage = quantized.storage(of: id, form) { return storage }
    guard let pixels = pixelLayout(of: id, channelAxis: form.channelAxis),
      let floats = tensor(id, as: pixels),
      let plain = Layout.rowMajor(pixelAxes(of: id, form.channelAxis).map { shape(of: id)[$0] }),
      let primitive = unsafe Primitive(
        owning: kernels_quantize(plain.handle, form.quantization), contribution: .reorder)
    else { return nil }
    let target = addReducedTarget(of: primitive, id, form)
    add(primitive, [(kernels_role_source, floats.storage)] + target)
    return target.first?.1
  }

  /// Makes the memory to which a primitive writes a value in a reduced form, and returns that argument.
  private mutating func addReducedTarget(
    of primitive: Primitive, _ id: ValueID, _ form: ReducedForm
  ) -> [(kernels_role, Storage)] {
    guard let layout = primitive.layout(kernels_role_quantized_target) else { return [] }
    let target = addScratch(byteCount: layout.byteCount)
    recordReduced(target, of: id, form)
    return [(kernels_role_quantized_target, target)]
  }

  /// The axes of a value with the channels last.
  private func pixelAxes(of id: ValueID, _ channelAxis: Int) -> [Int] {
    shape(of: id).indices.filter { $0 != channelAxis } + [channelAxis]
  }

  /// The layout of floats with the channels innermost.
  private func pixelLayout(of id: ValueID, channelAxis: Int) -> Layout? {
    let axes = pixelAxes(of: id, channelAxis)
    return Layout.rowMajor(axes.map { shape(of: id)[$0] })?.permuted(axes.inversePermutation)
  }

  /// The weights, and the parameters that dequantize their sums of products.
  private mutating func parameters(
    _ weights: QuantizedKernel, _ folded: FoldedWeights, _ form: ReducedForm
  ) -> [(kernels_role, Storage)] {
    func padded(_ numbers: [Float]) -> [Float] {
      numbers + [Float](repeating: 0, count: weights.scales.count + 32 - numbers.count)
    }
    var scales = weights.scales.map { $0 * form.scale }
    if !folded.scales.isEmpty { scales = zip(scales, folded.scales).map { $0 * $1 } }
    return [
      (kernels_role_weights, addConstant(weights.memory)),
      (kernels_role_scale, addConstant(padded(scales))),
      (kernels_role_bias, addConstant(padded(folded.bias ?? []))),
    ]
  }
}

extension ReducedForm {
  fileprivate var quantization: kernels_quantization {
    kernels_quantization(
      is_bfloat16: isBFloat16, scale: scale, zero_point: Int32(zeroPoint), divides: divides,
      nan: Int32(nan))
  }
}

/// The sizes of a window's input and output as kernels take them: `[batch, channels, spatial...]`.
private struct QuantizedSizes {
  let source: Layout
  let target: Layout
  let window: WindowArguments

  /// - Parameter window: `nil` for a fully connected layer, whose rows are the elements of an
  ///   image.
  /// - Returns: `nil` when there are no elements.
  init?(
    _ window: Window?, _ layout: DataLayout, _ group: NodeGroup, _ builder: PlanBuilder,
    isTransposed: Bool = false
  ) {
    var shapes = [group.inputs[0], group.outputs[0]].map { builder.shape(of: $0) }
    shapes = shapes.map { shape in
      guard window != nil else {
        return [1, shape[shape.count - 1], shape.dropLast().reduce(1, *)]
      }
      return layout.axesToChannelsFirst(rank: shape.count).map { shape[$0] }
    }
    let dimensions = shapes.map { Array($0.dropFirst(2)) }
    let single = Window(size: [1], strides: [1], dilation: [1], padding: .valid)
    let arguments =
      isTransposed
      ? window.map { WindowArguments(transposing: $0, from: dimensions[0], to: dimensions[1]) }
      : WindowArguments(window ?? single, dimensions: dimensions[0])
    guard let source = Layout.any(shapes[0]), let target = Layout.any(shapes[1]),
      let window = arguments
    else { return nil }
    (self.source, self.target, self.window) = (source, target, window)
  }
}

/// A weight as kernels of integers or bfloat16 take it.
struct QuantizedKernel: Sendable {
  /// What a weight is prepared for.
  struct Form: Hashable {
    let isBFloat16: Bool
    let groups: Int
    let isTransposed: Bool
  }

  let memory: ConstantMemory
  /// The scale of each output channel; 1 for bfloat16.
  let scales: [Float]

  /// - Parameter weights: `[out, in/groups, spatial...]`; of a transposed convolution
  ///   `[in, out/groups, spatial...]`.
  init(_ weights: Tensor, _ form: Form) {
    let sizes = form.sizes(of: weights)
    guard !form.isBFloat16 else {
      scales = [Float](repeating: 1, count: Int(sizes.out))
      memory = Self.memory(form.outputsFirst(weights).floats.map(\.bfloat16Bits), sizes)
      return
    }
    let channels = QuantizedChannels(
      weights, transposedGroups: form.isTransposed ? form.groups : nil)
    scales = channels.scales
    guard form.isTransposed else {
      memory = Self.memory(channels.integers, sizes)
      return
    }
    let integers = Tensor(
      .int8, shape: weights.shape, bytes: channels.integers.map { UInt8(bitPattern: $0) })
    memory = Self.memory(Array(form.outputsFirst(integers).contiguousBytes()), sizes)
  }

  /// Packs elements `[out, in/groups, spatial...]`.
  private static func memory<Element: BitwiseCopyable>(
    _ elements: [Element], _ sizes: kernels_quantized_weights
  ) -> ConstantMemory {
    var sizes = sizes
    let byteCount = unsafe kernels_packed_size(&sizes)
    return unsafe ConstantMemory(byteCount: byteCount) { address in
      // The memory has the packed size.
      unsafe kernels_pack_quantized(elements, &sizes, address)
    }
  }
}

extension QuantizedKernel.Form {
  fileprivate func sizes(of weights: Tensor) -> kernels_quantized_weights {
    let (first, second) = (Int64(weights.shape[0]), Int64(weights.shape[1]))
    let groups = Int64(groups)
    return kernels_quantized_weights(
      out: isTransposed ? second * groups : first, in: isTransposed ? first / groups : second,
      taps: Int64(weights.shape.dropFirst(2).reduce(1, *)), groups: groups,
      is_bfloat16: isBFloat16)
  }

  /// Weights with the axes `[out, in/groups, spatial...]`, or `[groups, out/groups, in/groups,
  /// spatial...]`, which have the same order in memory.
  fileprivate func outputsFirst(_ weights: Tensor) -> Tensor {
    guard isTransposed else { return weights }
    let split = weights.splitting(0, into: [groups, weights.shape[0] / groups])
    var axes = Array(split.shape.indices)
    axes.swapAt(1, 2)
    return split.permuted(axes)
  }
}
