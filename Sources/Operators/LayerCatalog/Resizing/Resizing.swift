package import Bytes
package import GraphIR

/// Resizes the spatial axes to given sizes, as in TensorFlow 2.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: the same with these sizes
package struct Resizing: ImageOperator, ArithmeticOperator {
  /// The sizes of the output's spatial axes, 1 to 2^24 each.
  package let dimensions: [Int]
  /// The interpolation between the input's elements.
  package let interpolation: ResizingInterpolation
  /// Whether filters are widened when the output is smaller than the input, to cover the input
  /// elements of each output element; this has no effect on ``ResizingInterpolation/nearest`` and
  /// ``ResizingInterpolation/area``.
  package let antialiases: Bool
  /// How an input with another aspect ratio is fitted; anything but stretching requires two spatial
  /// axes.
  package let fit: ResizingFit
  /// The order of the input's and output's axes.
  package let layout: DataLayout
  /// Where the input is read; anything but half-pixel centers requires bilinear interpolation
  /// without antialiasing.
  package let grid: ResizingGrid

  package static let kind = "resizing"
  package static let version = 2

  package static let declaration = OperatorDeclaration<Self>(
    """
    Along one spatial axis after the other, in float64: output[o] = sum over i of weight[o, i] * \
    input[i]
    The weights are those of sampling, from the input size to size. Before that, with two axes:
    a = the input size, b = size, float32 quotients:
    want[0] = truncate(a[1] * b[0] / b[1]), want[1] = truncate(a[0] * b[1] / b[0])
    crop: keep = max(1, min(a, want)) elements from truncate((a - keep) / 2) on, along each axis
    pad: truncate((max(want, a) - a) / 2) elements of fill_value at both ends of each axis
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(stored:_:_:_:_:_:_:),
      .spatialSizes("size", \.dimensions),
      .choice("interpolation", \.interpolation, "The weights of the input's elements.") {
        switch $0 {
        case .nearest: "the nearest element"
        case .bilinear: "linear between two neighbors"
        case .bicubic: "cubic convolution (Keys 1981, a = -1/2)"
        case .area: "the mean of the covered part of the input"
        case .lanczos3: "Lanczos' windowed sinc of radius 3"
        case .lanczos5: "Lanczos' windowed sinc of radius 5"
        case .gaussian: "a Gaussian of radius 1.5 and standard deviation 0.5"
        case .mitchellCubic: "the cubic filter of Mitchell and Netravali (1988)"
        }
      }.explained(by: .sampling),
      .boolean(
        "antialias", \.antialiases,
        "Whether filters are widened when the output is smaller; no effect for nearest and area."
      ).explained(by: .sampling),
      .choice(
        "aspect_ratio", \.fit.name,
        "How an input with a different aspect ratio is fitted; see the formula."
      ) {
        switch $0 {
        case .stretch: "the aspect ratio changes"
        case .crop:
          """
          the largest centered part with the output's aspect ratio is resized; two spatial axes only
          """
        case .pad:
          "the input is padded to the output's aspect ratio; two spatial axes only"
        }
      },
      .layout(\.layout),
      .real(
        "fill_value", \.fit.fillValue, "The value of the padding.",
        presence: .when("aspect_ratio", [.string("pad")])),
      ResizingGrid.field
    ).checked(\.ruleProblem))

  private init(
    stored dimensions: [Int], _ interpolation: ResizingInterpolation, _ antialiases: Bool,
    _ fit: ResizingFit.Name, _ layout: DataLayout, _ fillValue: Double?, _ grid: ResizingGrid?
  ) {
    self.init(
      dimensions: dimensions, interpolation: interpolation, antialiases: antialiases,
      fit: ResizingFit(fit, fillValue: fillValue), layout: layout, grid: grid ?? .halfPixel)
  }

  /// The rule about several attributes that is violated; `nil` if there is none.
  private var ruleProblem: String? {
    guard fit == .stretch || dimensions.count == 2 else {
      return "aspect_ratio must be stretch for \(dimensions.count.counted("spatial axis"))"
    }
    let isPlain = interpolation == .bilinear && !antialiases
    return grid == .halfPixel || isPlain
      ? nil : "the grid \(grid.rawValue) needs the interpolation bilinear without antialias"
  }

  /// Why such sizes are invalid, if they are.
  package static func problem(_ dimensions: [Int]) -> String? {
    Resizing(
      dimensions: dimensions, interpolation: .nearest, antialiases: false, fit: .stretch,
      layout: .channelsLast
    ).problem
  }

  /// Creates the operator.
  package init(
    dimensions: [Int], interpolation: ResizingInterpolation, antialiases: Bool,
    fit: ResizingFit, layout: DataLayout, grid: ResizingGrid = .halfPixel
  ) {
    self.dimensions = dimensions
    self.interpolation = interpolation
    self.antialiases = antialiases
    self.fit = fit
    self.layout = layout
    self.grid = grid
  }

  /// Returns the input elements and weights for element `output`, on an axis resized from `old` to
  /// `new` elements.
  package func sample(
    _ output: Int, from old: Int, to new: Int
  ) -> ResizingInterpolation.Sample {
    interpolation.sample(output, from: old, to: new, antialiases: antialiases, grid: grid)
  }
}

extension Resizing {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [try inputs[0].replacingSpatialAxes(layout, by: dimensions, "resized")]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)  // rejects sizes too large for any memory
    let axes = layout.spatialAxes(rank: shape.count)
    var result = try fit.fitted(inputs[0], Array(axes), to: dimensions)
    for (axis, dimension) in zip(axes, dimensions) {
      var partlyResized = result.shape
      partlyResized[axis] = dimension
      _ = try Checked.product(partlyResized + [8], of: "the size of the partly resized input")
      result = Tensor(
        .float64, shape: partlyResized, resize(result, along: axis, to: dimension))
    }
    return [Tensor(inputs[0].elementType, shape: shape, result.doubles)]
  }

  private func resize(_ input: Tensor, along axis: Int, to dimension: Int) -> [Double] {
    let elements = input.doubles
    let (old, run) = (input.shape[axis], input.shape[(axis + 1)...].reduce(1, *))
    let samples = (0..<dimension).map { sample($0, from: old, to: dimension) }
    var result: [Double] = []
    for slice in 0..<input.shape[..<axis].reduce(1, *) {
      for sample in samples {
        let start = (slice * old + sample.first) * run
        for index in start..<start + run {
          result.append(
            sample.weights.indices.reduce(0) {
              $0 + elements[index + $1 * run] * sample.weights[$1]
            })
        }
      }
    }
    return result
  }

  package func permutingAxes(_ axes: [Int]) -> Resizing? {
    guard axes.count == dimensions.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return Resizing(
      dimensions: dimensions, interpolation: interpolation, antialiases: antialiases, fit: fit,
      layout: layout, grid: grid)
  }

  /// Weighted sums along one axis after another, whose sizes must be known.
  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let axes = Array(layout.spatialAxes(rank: dimensions.count + 2))
      var result = try fitted(make.inputs[0], axes, &make)
      for (axis, new) in zip(axes, dimensions) {
        let old = try make.size(result, axis: axis)
        let rows = (0..<new).map { output in
          let sample = sample(output, from: old, to: new)
          let range = sample.first..<sample.first + sample.weights.count
          return (0..<old).map { range.contains($0) ? sample.weights[$0 - sample.first] : 0 }
        }
        result = try make.weightedSums(result, axis: axis, rows)
      }
      return result
    }
  }

  /// Crops or pads the input before it is stretched.
  private func fitted(
    _ input: ValueID, _ axes: [Int], _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    if fit == .stretch { return input }
    let old = try axes.map { (axis) throws(WeighbridgeError) in try make.size(input, axis: axis) }
    var result = input
    for (index, axis) in axes.enumerated() {
      let range = fit.range(index, of: old, for: dimensions)
      guard case .pad(let value) = fit else {
        result = try make.slice(result, range, axis: axis)
        continue
      }
      let border = (0..<axes.count + 2).map { $0 == axis ? -range.lowerBound : 0 }
      result = try make(
        Pad(before: border, after: border, mode: .constant, value: value), result)
    }
    return result
  }
}
