import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Convolutions at places that are computed (Dai et al. 2017; with factors, Zhu et al. 2018): the elements at
/// these places, times a matrix of weights for each group.
extension ONNXLayer {
  /// Adds a `DeformConv` of images `[batch, channels, height, width]`.
  mutating func deformableConvolution() throws(WeighbridgeError) -> ONNXValue {
    let (images, kernel, offsets) = (try input(0), try input(1), try input(2))
    let (bias, mask) = (try optional(3), try optional(4))
    let (groups, offsetGroups) = (
      try integer("group", default: 1), try integer("offset_group", default: 1)
    )
    let (imageType, kernelShape) = (type(images), type(kernel).fixedShape ?? [])
    let sizes = imageType.shape.dropFirst(2).compactMap(\.value)
    guard imageType.rank == 4, sizes.count == 2, let channels = imageType.shape[1].value,
      kernelShape.count == 4, groups >= 1, offsetGroups >= 1,
      sizes.allSatisfy({ $0 >= 1 }), kernelShape.allSatisfy({ $0 >= 1 }),
      channels % groups == 0, kernelShape[1] == channels / groups, kernelShape[0] % groups == 0,
      channels % offsetGroups == 0
    else {
      throw unsupported(
        "convolves \(imageType) with \(type(kernel)) in \(groups) groups and offsets of \(offsetGroups), and only images of "
          + "known sizes, with groups that divide the channels, can be read")
    }
    let window = try deformableWindow(Array(kernelShape[2...]), imageType)
    let outputs: [Int]
    do throws(ShapeError) {
      outputs = try window.outputDimensions(imageType.shape.suffix(2)).compactMap(\.value)
    } catch { throw malformed(error.reason) }
    let (taps, places) = (
      kernelShape[2] * kernelShape[3], try Checked.product(outputs, of: "an image")
    )
    let maskShape = [imageType.shape[0], .fixed(offsetGroups * taps)] + outputs.map { .fixed($0) }
    let offsetShape =
      [imageType.shape[0], .fixed(2 * offsetGroups * taps)] + outputs.map { .fixed($0) }
    guard type(offsets).rank == 4,
      zip(type(offsets).shape, offsetShape).allSatisfy({ $0.agrees(with: $1) }),
      mask.map({ mask in
        type(mask).rank == 4 && zip(type(mask).shape, maskShape).allSatisfy { $0.agrees(with: $1) }
      }) ?? true, bias.map({ type($0).shape == [.fixed(kernelShape[0])] }) ?? true
    else {
      throw malformed(
        "takes the offsets \(type(offsets)), expected \(TensorType(type(offsets).elementType, offsetShape)), factors for "
          + "half as many and a number for each output channel")
    }
    // [batch * groups of offsets, taps, axes, places]
    let parts = try apply(
      ReshapeAxes([.rest, .fixed(taps), .fixed(2), .fixed(places)]), to: offsets, role: "offsets")
    var axes: [ONNXValue] = []
    for axis in 0..<2 {
      axes.append(try tapPlaces(axis, parts, window, outputs))
    }
    let grouped = try apply(
      ReshapeAxes([.rest, .fixed(channels / offsetGroups)] + sizes.map { .fixed($0) }),
      to: images, role: "image_groups")
    let sampler = try PlaceSampler(
      mode: .linear, padding: .zeros, alignsCorners: true, sizes: sizes)
    let elements = try sampler.elements(of: grouped, &self)
    var columns = try sampler.sum(of: elements, at: axes, &self)
    if let mask {
      let factors = try apply(
        ReshapeAxes([.rest, .fixed(taps * places), .fixed(1)]), to: mask, role: "factors")
      columns = try apply(Multiply(), to: columns, factors, role: "masked")
    }
    let rows = channels / groups * taps
    let ordered = try transposed(columns, [0, 2, 1], role: "columns")
    let matrices = try apply(
      ReshapeAxes([.rest, .fixed(groups), .fixed(rows), .fixed(places)]), to: ordered,
      role: "matrices")
    let weights = try apply(
      ReshapeAxes([1, groups, kernelShape[0] / groups, rows].map { .fixed($0) }), to: kernel,
      role: "weights")
    let products = try apply(
      MatMul(transposeA: false, transposeB: false), to: weights, matrices, role: "products")
    let shape = keptSizes(imageType, 0..<1).map { size -> ReshapeAxes.Size in
      if case .fixed = size { size } else { .rest }
    }
    let result = try apply(
      ReshapeAxes(shape + ([kernelShape[0]] + outputs).map { .fixed($0) }), to: products,
      role: bias == nil ? "" : "sums")
    guard let bias else { return result }
    let column = try apply(
      ReshapeAxes([1, kernelShape[0], 1, 1].map { .fixed($0) }), to: bias, role: "bias")
    return try apply(Add(), to: result, column)
  }

  /// Reads the window, whose size is that of the kernel.
  private mutating func deformableWindow(
    _ size: [Int], _ input: TensorType
  ) throws(WeighbridgeError) -> Window {
    if let stated = try integers("kernel_shape"), stated != size {
      throw malformed("has kernel_shape=\(stated), expected the last sizes of the kernel \(size)")
    }
    return try window(size: size, input: input)
  }

  /// Adds the places along an axis of the elements that the window takes,
  /// `[batch * groups of offsets, taps * places]`.
  ///
  /// - Parameter offsets: `[batch * groups of offsets, taps, axes, places]`
  private mutating func tapPlaces(
    _ axis: Int, _ offsets: ONNXValue, _ window: Window, _ outputs: [Int]
  ) throws(WeighbridgeError) -> ONNXValue {
    let role = axis == 0 ? "row" : "column"
    let (taps, places) = (window.size[0] * window.size[1], outputs[0] * outputs[1])
    let size = try Checked.product([taps, places, 8], of: "all windows")
    try network.countConstant(TensorType(.float32, [taps, places]), byteCount: size)
    var before = 0
    if case .explicit(let borders, _) = window.padding { before = borders[axis] }
    let regular = (0..<taps).flatMap { tap in
      (0..<places).map { place -> Double in
        let element = axis == 0 ? tap / window.size[1] : tap % window.size[1]
        let output = axis == 0 ? place / outputs[1] : place % outputs[1]
        return Double(output * window.strides[axis] + element * window.dilation[axis] - before)
      }
    }
    let range = Slice.Range(axis: 2, start: axis, stop: axis + 1, step: 1)
    let part = try apply(Slice([range]), to: offsets, role: "\(role)/offsets")
    var flat = try apply(
      ReshapeAxes(keptSizes(type(part), 0..<1) + [.fixed(taps * places)]), to: part,
      role: "\(role)/list")
    // Narrow numbers do not hold the places between elements.
    if [.float16, .bfloat16].contains(type(flat).elementType) {
      flat = try apply(Cast(to: .float32), to: flat, role: "\(role)/wide")
    }
    let starts = newConstant(
      Tensor(type(flat).elementType, shape: [1, taps * places], regular), "\(role)/starts")
    return try apply(Add(), to: flat, starts, role: "\(role)/places")
  }
}
