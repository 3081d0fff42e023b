import Bytes
import CWBM

/// An enumeration of the schema.
protocol SchemaEnumeration: CaseIterable, Equatable {
  /// What a value is called in a message, for example `color order`.
  static var title: String { get }
  /// The enumerator's number in the schema; never 0.
  var schemaNumber: UInt32 { get }
}

extension SchemaEnumeration {
  /// The value with a number of the schema.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for 0, ``WeighbridgeError/Code/unsupported`` for
  ///   a number this version does not know.
  init(schemaNumber number: UInt32) throws(WeighbridgeError) {
    guard number != 0 else { throw WeighbridgeError(.malformed, "the \(Self.title) is missing") }
    guard let known = Self.allCases.first(where: { $0.schemaNumber == number }) else {
      throw WeighbridgeError(
        .unsupported, "the \(Self.title) \(number) is not one this version knows")
    }
    self = known
  }

  /// The value with a number of the schema, or `nil` for 0.
  static func optional(schemaNumber number: UInt32) throws(WeighbridgeError) -> Self? {
    number == 0 ? nil : try Self(schemaNumber: number)
  }
}

extension ElementType: SchemaEnumeration {
  static var title: String { "element type" }

  var schemaNumber: UInt32 {
    switch self {
    case .float16: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_FLOAT16.rawValue
    case .bfloat16: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_BFLOAT16.rawValue
    case .float32: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_FLOAT32.rawValue
    case .float64: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_FLOAT64.rawValue
    case .int8: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_INT8.rawValue
    case .int16: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_INT16.rawValue
    case .int32: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_INT32.rawValue
    case .int64: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_INT64.rawValue
    case .uint8: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_UINT8.rawValue
    case .uint16: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_UINT16.rawValue
    case .uint32: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_UINT32.rawValue
    case .uint64: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_UINT64.rawValue
    case .bool: WEIGHBRIDGE__V1__ELEMENT_TYPE__ELEMENT_TYPE_BOOL.rawValue
    }
  }
}

extension WBMTensor.Encoding: SchemaEnumeration {
  static var title: String { "tensor encoding" }

  var schemaNumber: UInt32 {
    switch self {
    case .plain: WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_PLAIN.rawValue
    }
  }
}

extension WBMTolerance.Source: SchemaEnumeration {
  static var title: String { "source of a tolerance" }

  var schemaNumber: UInt32 {
    switch self {
    case .standard: WEIGHBRIDGE__V1__TOLERANCE_SOURCE__TOLERANCE_SOURCE_STANDARD.rawValue
    case .author: WEIGHBRIDGE__V1__TOLERANCE_SOURCE__TOLERANCE_SOURCE_AUTHOR.rawValue
    }
  }
}

extension WBMImage.ColorOrder: SchemaEnumeration {
  static var title: String { "color order" }

  var schemaNumber: UInt32 {
    switch self {
    case .rgb: WEIGHBRIDGE__V1__COLOR_ORDER__COLOR_ORDER_RGB.rawValue
    case .bgr: WEIGHBRIDGE__V1__COLOR_ORDER__COLOR_ORDER_BGR.rawValue
    case .gray: WEIGHBRIDGE__V1__COLOR_ORDER__COLOR_ORDER_GRAY.rawValue
    }
  }
}

extension WBMImage.ResizePolicy: SchemaEnumeration {
  static var title: String { "resize policy" }

  var schemaNumber: UInt32 {
    switch self {
    case .stretch: WEIGHBRIDGE__V1__RESIZE_POLICY__RESIZE_POLICY_STRETCH.rawValue
    case .letterbox: WEIGHBRIDGE__V1__RESIZE_POLICY__RESIZE_POLICY_LETTERBOX.rawValue
    case .centerCrop: WEIGHBRIDGE__V1__RESIZE_POLICY__RESIZE_POLICY_CENTER_CROP.rawValue
    }
  }
}

extension WBMImage.Layout: SchemaEnumeration {
  static var title: String { "data layout" }

  var schemaNumber: UInt32 {
    switch self {
    case .channelsFirst: WEIGHBRIDGE__V1__DATA_LAYOUT__DATA_LAYOUT_CHANNELS_FIRST.rawValue
    case .channelsLast: WEIGHBRIDGE__V1__DATA_LAYOUT__DATA_LAYOUT_CHANNELS_LAST.rawValue
    }
  }
}
