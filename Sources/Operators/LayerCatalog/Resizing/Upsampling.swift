package import Bytes
package import GraphIR

/// Enlarges the spatial axes by integer factors.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: each spatial axis enlarged by `factors[i]`
package struct Upsampling: ImageOperator, ArithmeticOperator {
  /// The interpolation between the input's elements.
  package enum Interpolation: String, Hashable, Sendable, CaseIterable {
    /// The input's elements are repeated.
    case nearest
    /// Linear along each axis (bilinear), at x = o / factor.
    case linearAsymmetric = "linear_asymmetric"
    /// Linear along each axis (bilinear), at x = (o + 0.5) / factor - 0.5: coordinates refer to the
    /// centers of elements.
    case linearHalfPixel = "linear_half_pixel"
  }

  /// The factor of each spatial axis; 1 to 2^24.
  package let factors: [Int]
  /// The interpolation between the input's elements.
  package let interpolation: Interpolation
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "upsampling"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    Along one spatial axis after the other, n elements becoming n * factor, in float64:
    nearest: output[o] = input[floor(o / factor)]
    linear_asymmetric: u = o / factor; linear_half_pixel: u = (o + 0.5) / factor - 0.5
    u clamped to 0...n - 1; i = floor(u)
    output[o] = input[i] if u = i, else input[i] + (input[i + 1] - input[i]) * (u - i)
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(factors:interpolation:layout:),
      .integers(
        "factors", \.factors, "The factor of each spatial axis.", .atLeast(1), .sizeLimit,
        .minimumCount(1)),
      .choice(
        "interpolation", \.interpolation,
        "How elements between those of the input are interpolated; see the formula."
      ) {
        switch $0 {
        case .nearest: "the elements are repeated"
        case .linearAsymmetric:
          "linear, with the first elements of both at the same position"
        case .linearHalfPixel: "linear, with the borders of both at the same position"
        }
      },
      .layout(\.layout)))

  /// Creates the operator.
  package init(factors: [Int], interpolation: Interpolation, layout: DataLayout) {
    self.factors = factors
    self.interpolation = interpolation
    self.layout = layout
  }
}

extension Upsampling {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat else {
      throw ShapeError("takes floating-point numbers, not \(inputs[0])")
    }
    let output = try inputs[0].mappingSpatialAxes(layout, count: factors.count) {
      (axis, dimension) throws(ShapeError) in
      let (product, overflow) = dimension.multipliedReportingOverflow(by: factors[axis])
      guard !overflow else {
        throw ShapeError("\(dimension) elements times \(factors[axis]) is too large")
      }
      return product
    }
    return [output]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    _ = try outputShape(of: inputs)  // rejects sizes too large for any memory
    var elements = inputs[0].doubles
    var shape = inputs[0].shape
    for (index, axis) in layout.spatialAxes(rank: shape.count).enumerated() {
      elements = enlarge(elements, shape, along: axis, by: factors[index])
      shape[axis] *= factors[index]
    }
    return [Tensor(inputs[0].elementType, shape: shape, elements)]
  }

  private func enlarge(
    _ elements: [Double], _ shape: [Int], along axis: Int, by factor: Int
  ) -> [Double] {
    let (dimension, run) = (shape[axis], shape[(axis + 1)...].reduce(1, *))
    let samples = (0..<dimension * factor).map { sample($0, dimension: dimension, factor: factor) }
    var result: [Double] = []
    result.reserveCapacity(elements.count * factor)
    for slice in 0..<shape[..<axis].reduce(1, *) {
      for (lower, weight) in samples {
        let start = (slice * dimension + lower) * run
        guard weight > 0 else {
          result += elements[start..<start + run]
          continue
        }
        for index in start..<start + run {
          result.append(elements[index] + (elements[index + run] - elements[index]) * weight)
        }
      }
    }
    return result
  }

  /// The input element at or below an output element's coordinate, and the weight of the next one
  /// (0 at the border).
  package func sample(
    _ output: Int, dimension: Int, factor: Int
  ) -> (lower: Int, weight: Double) {
    let coordinate: Double
    switch interpolation {
    case .nearest: return (output / factor, 0)
    case .linearAsymmetric: coordinate = Double(output) / Double(factor)
    case .linearHalfPixel: coordinate = (Double(output) + 0.5) / Double(factor) - 0.5
    }
    let clamped = min(max(coordinate, 0), Double(dimension - 1))
    return (Int(clamped), clamped - clamped.rounded(.down))
  }

  package func permutingAxes(_ axes: [Int]) -> Upsampling? {
    guard axes.count == factors.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return Upsampling(factors: factors, interpolation: interpolation, layout: layout)
  }

  /// Weighted sums along one axis after another, whose sizes must be known.
  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      var result = make.inputs[0]
      for (axis, factor) in zip(layout.spatialAxes(rank: factors.count + 2), factors) {
        let size = try make.size(result, axis: axis)
        let rows = (0..<size * factor).map { output in
          let (lower, weight) = sample(output, dimension: size, factor: factor)
          return (0..<size).map { $0 == lower ? 1 - weight : $0 == lower + 1 ? weight : 0 }
        }
        result = try make.weightedSums(result, axis: axis, rows)
      }
      return result
    }
  }
}
