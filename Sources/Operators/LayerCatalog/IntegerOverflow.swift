package import Bytes
package import GraphIR

/// What an operator gives where its exact result does not fit in an integer type.
package enum IntegerOverflow: String, Hashable, Sendable, CaseIterable {
  /// The result modulo 2^bits, as two's complement represents it.
  case wrap
  /// The nearest number of the type.
  case saturate
}

/// What a framework gives where results do not fit in an integer type.
package struct IntegerRules: Hashable, Sendable {
  /// Sums, products and other arithmetic.
  let arithmetic: IntegerOverflow
  /// Conversions of floating-point numbers. (Those of integers wrap in all frameworks.)
  let conversion: IntegerOverflow

  /// Everything wraps: TensorFlow, ONNX, NumPy.
  package static let wrapping = IntegerRules(arithmetic: .wrap, conversion: .wrap)
  /// Conversions of floating-point numbers saturate: JAX.
  package static let saturatingConversion = IntegerRules(
    arithmetic: .wrap, conversion: .saturate)
}

/// An operator whose result may not fit in an integer type.
package protocol IntegerOperator: CatalogOperator {
  /// What it then gives; `nil` if that is not stated, as for floating-point numbers, and in files of
  /// version 0.2.0.
  var overflow: IntegerOverflow? { get set }

  /// What it gives by a framework's rules; `nil` if every result fits.
  ///
  /// - Parameter inputs: The types of the inputs.
  func overflow(by rules: IntegerRules, of inputs: [TensorType]) -> IntegerOverflow?
}

extension IntegerOperator {
  package func overflow(by rules: IntegerRules, of inputs: [TensorType]) -> IntegerOverflow? {
    inputs.first?.elementType.isInteger == true ? rules.arithmetic : nil
  }

  /// Whether tensors of a type are computed modulo 2^bits.
  package func wraps(_ type: ElementType) -> Bool { overflow == .wrap && type.isInteger }
}

extension CatalogOperator {
  /// The same operator, which states what it gives where a result does not fit in an integer type.
  ///
  /// - Parameters:
  ///   - rules: Those of the framework that defines the model.
  ///   - inputs: The types of the inputs.
  package func stating(_ rules: IntegerRules, for inputs: [TensorType]) -> Self {
    guard var operation = self as? any IntegerOperator, operation.overflow == nil else {
      return self
    }
    operation.overflow = operation.overflow(by: rules, of: inputs)
    return operation as? Self ?? self
  }
}

extension AttributeField where Value == IntegerOverflow? {
  /// What an operator gives where a result does not fit in an integer type.
  ///
  /// - Parameter otherwise: What it gives if the attribute is absent.
  static func overflow(
    _ value: @escaping @Sendable (Owner) -> IntegerOverflow?, otherwise: String
  ) -> AttributeField {
    .choice(
      "overflow", value, "What stands for a result that does not fit in an integer type.",
      among: IntegerOverflow.allCases, presence: .optional(otherwise)
    ) {
      switch $0 {
      case .wrap: "the result modulo 2^bits of the type"
      case .saturate: "the nearest number of the type"
      }
    }
  }

  /// The same for arithmetic.
  static func overflow(
    _ value: @escaping @Sendable (Owner) -> IntegerOverflow?
  ) -> AttributeField {
    overflow(value, otherwise: "such a result is an error when the model runs")
      .explained(by: .integers)
  }
}

extension Tensor {
  /// The elements as `Double`.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an integer that this may not represent.
  func exactDoubles() throws(WeighbridgeError) -> [Double] {
    let numbers = doubles
    try Self.checkExact(numbers, elementType)
    return numbers
  }

  /// Refuses integers of 64 bits from 2^53 on, which `Double` rounds.
  fileprivate static func checkExact(
    _ numbers: [Double], _ type: ElementType
  ) throws(WeighbridgeError) {
    guard type.isInteger, type.byteCount == 8,
      let index = numbers.firstIndex(where: { !($0.magnitude < 0x1p53) })
    else { return }
    throw .mismatch(
      "element \(index) is about \(numbers[index]), and integers that do not wrap around are "
        + "computed below 2^53")
  }

  /// Creates a tensor of results that were computed in `Double`, each rounded to the nearest number
  /// of a floating-point type.
  ///
  /// - Parameter overflow: What stands for numbers that do not fit in an integer type.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` if there are such numbers and this is `nil`.
  init(
    _ elementType: ElementType, shape: [Int], _ numbers: [Double], overflow: IntegerOverflow?
  ) throws(WeighbridgeError) {
    try Self.checkExact(numbers, elementType)
    if overflow == .saturate {
      self.init(elementType, shape: shape, numbers)
    } else {
      try self.init(checking: elementType, shape: shape, numbers)
    }
  }
}
