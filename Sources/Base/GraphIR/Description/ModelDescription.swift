/// What people and programs need to know of a model besides its computation.
///
/// Every format maps to and from this one description.
public struct ModelDescription: Hashable, Sendable {
  /// The model's name.
  public var name: String?
  /// Who made it.
  public var author: String?
  /// Under which terms it may be used.
  public var license: License?
  /// The model's own version, as its author counts.
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
  /// Whatever else the author wants to say.
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
    /// What it holds.
    public var summary: String?
    /// How an image becomes this input, when it is one.
    public var image: ImageInput?

    /// A feature of which only the name is known.
    public init(name: String) { self.name = name }
  }
}

/// Terms of use.
public struct License: Hashable, Sendable {
  /// The text as it was given.
  public var text: String
  /// The same as an SPDX license expression, where the text is one.
  public var spdxExpression: String?
  /// What should be known about the text, for example that it names no single license.
  public var note: String?

  /// Makes a license.
  public init(text: String, spdxExpression: String?, note: String?) {
    self.text = text
    self.spdxExpression = spdxExpression
    self.note = note
  }
}

/// How an image becomes an input of the model.
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

  /// How an image of another size is brought to the input's size.
  public enum ResizePolicy: String, Hashable, Sendable, CaseIterable {
    /// Scaled as a whole, with bars at two sides.
    case letterbox
    /// Scaled along each axis by itself.
    case stretch
    /// Scaled as a whole to cover the input, and the centred part of that.
    case centerCrop = "center-crop"
  }

  /// The order of the components.
  public var colorOrder: ColorOrder
  /// The factor for each component in 0...255.
  public var scale: Double
  /// Added after scaling: one for each component.
  public var bias: [Double]
  /// How the size is matched, when the model's owner said so.
  public var resize: ResizePolicy?
  /// The order of the input's axes.
  public var layout: DataLayout

  /// Makes a record.
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
