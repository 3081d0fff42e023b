/// What people and programs need to know about a model besides its computation.
///
/// Every format maps to and from this one description.
public struct ModelDescription: Hashable, Sendable {
  /// The model's name.
  public var name: String?
  /// The model's author.
  public var author: String?
  /// The terms under which it may be used.
  public var license: License?
  /// The model's own version, in its author's numbering.
  public var version: String?
  /// What it does, in a sentence or two.
  public var summary: String?
  /// The inputs, in the graph's order and with its names.
  public var inputs: [Feature]
  /// The outputs, in the graph's order and with its names.
  public var outputs: [Feature]
  /// The names of the classes, in the order of the output's scores.
  public var labels: [String]
  /// How boxes are read from the outputs, when the model detects objects.
  public var detector: DetectorDescription?
  /// Other metadata from the author.
  public var userDefined: [String: String]

  /// A description of features only.
  public init(inputs: [Feature] = [], outputs: [Feature] = []) {
    self.inputs = inputs
    self.outputs = outputs
    self.labels = []
    self.userDefined = [:]
  }

  /// One input or output of a model.
  public struct Feature: Hashable, Sendable {
    /// The name; unique among the inputs and among the outputs.
    public var name: String
    /// What it contains.
    public var summary: String?
    /// The conversion of an image to this input, when it is one.
    public var image: ImageInput?
    /// The value of every element of an input in a run that does not give it, such as the first
    /// state of a recurrent layer; `nil` for an input that must be given, and for outputs.
    public var defaultValue: Double?

    /// A feature of which only the name is known.
    public init(name: String) { self.name = name }
  }
}

/// Terms of use.
public struct License: Hashable, Sendable {
  /// The text as given.
  public var text: String
  /// The same as an SPDX license expression, where the text is one.
  public var spdxExpression: String?
  /// A note about the text, for example that it names no single license.
  public var note: String?

  /// Creates a license.
  public init(text: String, spdxExpression: String?, note: String?) {
    self.text = text
    self.spdxExpression = spdxExpression
    self.note = note
  }
}

/// The conversion of an image to an input of the model.
///
/// After the resize policy, each 8-bit component x becomes `x * scale + bias[component]`, with the
/// components in the model's color order.
public struct ImageInput: Hashable, Sendable {
  /// The components of a pixel, in the order in which the model takes them.
  public enum ColorOrder: String, Hashable, Sendable, CaseIterable {
    /// Red, green, blue.
    case rgb
    /// Blue, green, red.
    case bgr
    /// One component: the brightness.
    case gray

    /// The number of components.
    public var componentCount: Int { self == .gray ? 1 : 3 }
  }

  /// The method of resizing an image to the input's size.
  public enum ResizePolicy: String, Hashable, Sendable, CaseIterable {
    /// Scaled uniformly, with bars on two sides.
    case letterbox
    /// Scaled along each axis independently.
    case stretch
    /// Scaled uniformly to cover the input, and cropped to the center.
    case centerCrop = "center-crop"
  }

  /// The order of the components.
  public var colorOrder: ColorOrder
  /// The factor for each component in 0...255.
  public var scale: Double
  /// The offset added to each component after scaling.
  public var bias: [Double]
  /// The resize policy, when the model's owner set one.
  public var resize: ResizePolicy?
  /// The order of the input's axes.
  public var layout: DataLayout

  /// Creates a record.
  public init(
    colorOrder: ColorOrder, scale: Double, bias: [Double], resize: ResizePolicy?,
    layout: DataLayout
  ) {
    self.colorOrder = colorOrder
    self.scale = scale
    self.bias = bias
    self.resize = resize
    self.layout = layout
  }
}
