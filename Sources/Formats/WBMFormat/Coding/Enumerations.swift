import Bytes

/// An enumeration of the schema. Its cases have the schema's order, in which the first is 1; 0 says
/// that there is none.
protocol SchemaEnumeration: CaseIterable, Equatable where AllCases == [Self] {
  /// What a value is called in a message, for example `color order`.
  static var title: String { get }
}

extension SchemaEnumeration {
  /// The enumerator's number in the schema; never 0.
  var schemaNumber: UInt32 {
    guard let index = Self.allCases.firstIndex(of: self) else {
      preconditionFailure("allCases has all cases")
    }
    return UInt32(index + 1)
  }

  /// The value with a number of the schema.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for 0, ``WeighbridgeError/Code/unsupported`` for
  ///   a number this version does not know.
  init(schemaNumber number: UInt32) throws(WeighbridgeError) {
    guard number != 0 else { throw WeighbridgeError(.malformed, "the \(Self.title) is missing") }
    guard number <= Self.allCases.count else {
      throw WeighbridgeError(
        .unsupported, "the \(Self.title) \(number) is not one this version knows")
    }
    self = Self.allCases[Int(number) - 1]
  }

  /// The value with a number of the schema, or `nil` for 0.
  static func optional(schemaNumber number: UInt32) throws(WeighbridgeError) -> Self? {
    number == 0 ? nil : try Self(schemaNumber: number)
  }
}

extension ElementType: SchemaEnumeration { static var title: String { "element type" } }

extension WBMCompaction.Answers.Kind: SchemaEnumeration {
  static var title: String { "kind of an answer" }
}

extension WBMTolerance.Source: SchemaEnumeration {
  static var title: String { "source of a tolerance" }
}

extension WBMImage.ColorOrder: SchemaEnumeration { static var title: String { "color order" } }

extension WBMImage.ResizePolicy: SchemaEnumeration { static var title: String { "resize policy" } }

extension WBMImage.Layout: SchemaEnumeration { static var title: String { "data layout" } }

extension WBMDetector.Kind: SchemaEnumeration { static var title: String { "detector kind" } }

extension WBMDetector.AnchorUnit: SchemaEnumeration { static var title: String { "anchor unit" } }

extension WBMDetector.BoxEncoding: SchemaEnumeration {
  static var title: String { "box encoding" }
}

extension WBMDetector.Suppression: SchemaEnumeration {
  static var title: String { "suppression kind" }
}

extension WBMDetector.Part: SchemaEnumeration { static var title: String { "part of a box" } }

extension WBMDetector.Order: SchemaEnumeration { static var title: String { "order of a head" } }

extension WBMDetector.BoxPoint: SchemaEnumeration { static var title: String { "point of a box" } }

extension WBMDetector.TreeChoice: SchemaEnumeration {
  static var title: String { "choice of a class tree" }
}
