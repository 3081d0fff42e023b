package import Bytes
package import GraphIR
import KerasFormat

/// A straight line in place of the sigmoid: slope · x + offset, clipped to 0...1
/// (Courbariaux et al. 2015).
///
/// Any shape in, the same out. NaN stays NaN.
package struct HardSigmoid: ElementwiseOperator {
  /// The steepness of the line.
  package let slope: Double
  /// The output at 0.
  package let offset: Double

  package static let kind = "hard_sigmoid"
  package static let version = 1

  package var attributes: Attributes { ["alpha": .real(slope), "beta": .real(offset)] }

  /// Makes the operator.
  package init(slope: Double, offset: Double) {
    self.slope = slope
    self.offset = offset
  }
}

extension HardSigmoid {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    slope = try attributes.real("alpha")
    offset = try attributes.real("beta")
  }

  package func apply(_ element: Double) -> Double {
    let line = slope * element + offset
    return line.isNaN ? line : min(max(line, 0), 1)
  }

  package var decomposition: Decomposition { .primitive }

  /// Keras: the function `hard_sigmoid`, whose slope is 0.2 up to Keras 2 and 1/6 since Keras 3; the
  /// function `sparse_sigmoid` (Martins and Astudillo 2016), whose slope is 1/2.
  package static let keras = SourceMapping.mapped(
    KerasMapping(activations: [
      "hard_sigmoid": { version, _ in
        HardSigmoid(slope: version < KerasVersion(3, 0, 0) ? 0.2 : 1 / 6, offset: 0.5)
      },
      "sparse_sigmoid": { _, _ in HardSigmoid(slope: 0.5, offset: 0.5) },
    ]))
}
