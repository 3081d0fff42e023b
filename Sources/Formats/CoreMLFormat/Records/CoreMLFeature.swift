/// What a model takes and gives, and what people should know of it.
package struct CoreMLDescription: Hashable, Sendable {
  /// What it takes.
  package var inputs: [CoreMLFeature]
  /// What it gives.
  package var outputs: [CoreMLFeature]
  /// The output that is the class, or the number that a regressor gives.
  package var predictedFeature: String?
  /// The output that has the probabilities of all classes.
  package var predictedProbabilities: String?
  /// What people should know.
  package var metadata: CoreMLMetadata

  /// Makes a description.
  package init(
    inputs: [CoreMLFeature], outputs: [CoreMLFeature], predictedFeature: String? = nil,
    predictedProbabilities: String? = nil, metadata: CoreMLMetadata = CoreMLMetadata()
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.predictedFeature = predictedFeature
    self.predictedProbabilities = predictedProbabilities
    self.metadata = metadata
  }

  /// The output of a classifier that is the class: its name, and what the labels are. `nil` for
  /// other models.
  package var classLabel: (name: String, type: CoreMLKey)? {
    guard let predictedFeature,
      let feature = outputs.first(where: { $0.name == predictedFeature })
    else { return nil }
    switch feature.type {
    case .int64: return (predictedFeature, .int64)
    case .string: return (predictedFeature, .string)
    default: return nil
    }
  }
}

/// What people should know of a model; an empty text is none.
package struct CoreMLMetadata: Hashable, Sendable {
  package var summary: String?
  package var version: String?
  package var author: String?
  package var license: String?
  /// Whatever else is known.
  package var userDefined: [String: String]

  /// Makes metadata, by default none.
  package init(
    summary: String? = nil, version: String? = nil, author: String? = nil, license: String? = nil,
    userDefined: [String: String] = [:]
  ) {
    self.summary = summary
    self.version = version
    self.author = author
    self.license = license
    self.userDefined = userDefined
  }
}

/// One input or output.
package struct CoreMLFeature: Hashable, Sendable {
  /// Its name.
  package var name: String
  /// What it holds, for people.
  package var summary: String?
  /// Its type.
  package var type: CoreMLFeatureType
  /// Whether it may be left out.
  package var isOptional: Bool

  /// Makes a feature.
  package init(
    name: String, summary: String? = nil, type: CoreMLFeatureType, isOptional: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.type = type
    self.isOptional = isOptional
  }
}

/// The type of a feature.
package enum CoreMLFeatureType: Hashable, Sendable {
  case int64, double, string
  case image(CoreMLImage)
  case multiArray(CoreMLArray)
  /// Numbers by keys.
  case dictionary(CoreMLKey)
  /// A list of numbers or texts.
  case sequence(CoreMLKey, CoreMLSizeRange?)
}

/// What a key, or an element of a list, is.
package enum CoreMLKey: String, Hashable, Sendable {
  case int64, string
}

/// A number of elements that may be given.
package struct CoreMLSizeRange: Hashable, Sendable {
  package var lowerBound: Int
  /// The largest number; `nil` for any.
  package var upperBound: Int?

  /// Makes a range.
  package init(lowerBound: Int, upperBound: Int?) {
    self.lowerBound = lowerBound
    self.upperBound = upperBound
  }
}

/// An image.
package struct CoreMLImage: Hashable, Sendable {
  /// The order of its colours.
  package enum ColorSpace: String, Hashable, Sendable {
    case grayscale = "GRAYSCALE"
    case rgb = "RGB"
    case bgr = "BGR"
    case grayscaleFloat16 = "GRAYSCALE_FLOAT16"
  }

  /// A size in pixels.
  package struct Size: Hashable, Sendable {
    package var width: Int
    package var height: Int

    /// Makes a size.
    package init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  /// The sizes that may be given.
  package enum Flexibility: Hashable, Sendable {
    case enumerated([Size])
    case range(width: CoreMLSizeRange, height: CoreMLSizeRange)
  }

  /// The size that is meant unless another is given.
  package var size: Size
  /// The order of its colours; `nil` when the file does not say.
  package var colorSpace: ColorSpace?
  /// The sizes that may be given; `nil` for the one.
  package var flexibility: Flexibility?

  /// Makes the type of an image.
  package init(size: Size, colorSpace: ColorSpace?, flexibility: Flexibility? = nil) {
    self.size = size
    self.colorSpace = colorSpace
    self.flexibility = flexibility
  }
}

/// An array in row-major order.
package struct CoreMLArray: Hashable, Sendable {
  /// The types of elements.
  package enum Element: String, Hashable, Sendable {
    case int8 = "INT8"
    case int32 = "INT32"
    case float16 = "FLOAT16"
    case float32 = "FLOAT32"
    case double = "DOUBLE"
  }

  /// The shapes that may be given.
  package enum Flexibility: Hashable, Sendable {
    case enumerated([[Int]])
    case ranges([CoreMLSizeRange])
  }

  /// All elements of an input that is not given.
  package enum Default: Hashable, Sendable {
    case integer(Int)
    case float(Double)
    case double(Double)
  }

  /// The shape that is meant unless another is given; may be empty.
  package var shape: [Int]
  /// The type of the elements; `nil` when the file does not say.
  package var element: Element?
  /// The shapes that may be given; `nil` for the one.
  package var flexibility: Flexibility?
  /// All elements of an optional input that is not given.
  package var defaultValue: Default?

  /// Makes the type of an array.
  package init(
    shape: [Int], element: Element?, flexibility: Flexibility? = nil, defaultValue: Default? = nil
  ) {
    self.shape = shape
    self.element = element
    self.flexibility = flexibility
    self.defaultValue = defaultValue
  }
}
