/// The inputs, outputs and metadata of a model.
package struct CoreMLDescription: Hashable, Sendable {
  /// The inputs.
  package var inputs: [CoreMLFeature]
  /// The outputs.
  package var outputs: [CoreMLFeature]
  /// The output with the class, or with a regressor's result.
  package var predictedFeature: String?
  /// The output with the probabilities of all classes.
  package var predictedProbabilities: String?
  /// Human-readable metadata.
  package var metadata: CoreMLMetadata

  /// Creates a description.
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

  /// The output of a classifier that contains the class: its name, and the type of the labels.
  /// `nil` for other models.
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

/// Human-readable metadata of a model. An empty string in a file is read as `nil`.
package struct CoreMLMetadata: Hashable, Sendable {
  package var summary: String?
  package var version: String?
  package var author: String?
  package var license: String?
  /// Other entries.
  package var userDefined: [String: String]

  /// Creates metadata, empty by default.
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

/// An input or output.
package struct CoreMLFeature: Hashable, Sendable {
  /// Its name.
  package var name: String
  /// A human-readable description.
  package var summary: String?
  /// Its type.
  package var type: CoreMLFeatureType
  /// Whether it may be omitted.
  package var isOptional: Bool

  /// Creates a feature.
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
  /// A dictionary of numbers.
  case dictionary(CoreMLKey)
  /// A list of integers or strings.
  case sequence(CoreMLKey, CoreMLSizeRange?)
}

/// The type of a dictionary's keys or a list's elements.
package enum CoreMLKey: String, Hashable, Sendable {
  case int64, string
}

/// A range of allowed sizes.
package struct CoreMLSizeRange: Hashable, Sendable {
  package var lowerBound: Int
  /// The maximum size; `nil` for no limit.
  package var upperBound: Int?

  /// Creates a range.
  package init(lowerBound: Int, upperBound: Int?) {
    self.lowerBound = lowerBound
    self.upperBound = upperBound
  }
}

/// The type of an image.
package struct CoreMLImage: Hashable, Sendable {
  /// The color space, which includes the order of the components.
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

    /// Creates a size.
    package init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  /// The allowed sizes.
  package enum Flexibility: Hashable, Sendable {
    case enumerated([Size])
    case range(width: CoreMLSizeRange, height: CoreMLSizeRange)
  }

  /// The default size.
  package var size: Size
  /// The color space; `nil` when the file does not specify it.
  package var colorSpace: ColorSpace?
  /// The allowed sizes; `nil` if only the default is allowed.
  package var flexibility: Flexibility?

  /// Creates the type of an image.
  package init(size: Size, colorSpace: ColorSpace?, flexibility: Flexibility? = nil) {
    self.size = size
    self.colorSpace = colorSpace
    self.flexibility = flexibility
  }
}

/// The type of an array in row-major order.
package struct CoreMLArray: Hashable, Sendable {
  /// An element type.
  package enum Element: String, Hashable, Sendable {
    case int8 = "INT8"
    case int32 = "INT32"
    case float16 = "FLOAT16"
    case float32 = "FLOAT32"
    case double = "DOUBLE"
  }

  /// The allowed shapes.
  package enum Flexibility: Hashable, Sendable {
    case enumerated([[Int]])
    case ranges([CoreMLSizeRange])
  }

  /// The value of all elements of an omitted input.
  package enum Default: Hashable, Sendable {
    case integer(Int)
    case float(Double)
    case double(Double)
  }

  /// The default shape; may be empty.
  package var shape: [Int]
  /// The type of the elements; `nil` when the file does not specify it.
  package var element: Element?
  /// The allowed shapes; `nil` if only the default is allowed.
  package var flexibility: Flexibility?
  /// The value of all elements of an optional input that is omitted.
  package var defaultValue: Default?

  /// Creates the type of an array.
  package init(
    shape: [Int], element: Element?, flexibility: Flexibility? = nil, defaultValue: Default? = nil
  ) {
    self.shape = shape
    self.element = element
    self.flexibility = flexibility
    self.defaultValue = defaultValue
  }
}
