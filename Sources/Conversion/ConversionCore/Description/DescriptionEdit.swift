public import GraphIR

/// What a user says of a model, in the words of the command line or of a metadata file. What is not
/// said stays as it is.
public struct DescriptionEdit: Sendable {
  /// A new name for an input or output.
  public struct Rename: Sendable, Hashable {
    /// The name in the source; `nil` when the model has only one.
    public var old: String?
    /// The name from now on.
    public var new: String

    /// Makes a rename.
    public init(old: String?, new: String) {
      self.old = old
      self.new = new
    }
  }

  /// What is said of images as an input.
  public struct Image: Sendable, Hashable {
    /// The input, by its new name.
    public var input: String
    /// The order of the components; RGB, or gray for one channel, when not said.
    public var colorOrder: ImageInput.ColorOrder?
    /// The factor; 1 when not said.
    public var scale: Double?
    /// The summands; 0 when not said.
    public var bias: [Double]?
    /// The resize policy.
    public var resize: ImageInput.ResizePolicy?
    /// The order of the input's axes; the one that fits its shape when not said.
    public var layout: DataLayout?

    /// An image input of which nothing is said.
    public init(input: String) { self.input = input }
  }

  /// What is said of a detector.
  public struct DetectorEdit: Sendable, Hashable {
    /// The family.
    public var kind: DetectorDescription.Kind
    /// Widths and heights in turn, in grid cells for region and in input pixels for yolo; none for
    /// detection.
    public var anchors: [Double]
    /// The outputs that hold boxes, by new name; a stride of `nil` is computed from the shapes.
    /// All outputs, with equal shares of the anchors, when not said.
    public var heads: [DetectorDescription.Head]?
    /// How a box's size is stored; exponential, or for
    /// ``DetectorDescription/Kind/detection`` a fraction, when not said.
    public var boxEncoding: DetectorDescription.BoxEncoding?
    /// Whether each box has a score for holding any object at all; it has when not said.
    public var hasObjectness: Bool?
    /// Whether the first class score stands for no object at all; it does not when not said.
    public var hasBackground: Bool?
    /// The parts of a box that the outputs hold after their activation; none when not said.
    public var activated: Set<DetectorDescription.Part>?
    /// The order of a head's numbers; by the layout of the model's image when not said.
    public var order: DetectorDescription.Order?
    /// The number of cells along each axis; for ``DetectorDescription/Kind/detection`` only.
    public var side: Int?
    /// The number of boxes in each cell; for ``DetectorDescription/Kind/detection`` only.
    public var boxesPerCell: Int?
    /// How the classes are arranged, when they are not a plain list.
    public var classTree: DetectorDescription.ClassTree?
    /// The number of classes; that of the labels, or what the channels leave, when not said.
    public var classCount: Int?
    /// How overlapping boxes are thinned out.
    public var suppression: DetectorDescription.Suppression?
    /// The exponent of the centres' distance in ``DetectorDescription/Suppression/distance``.
    public var distanceExponent: Double?
    /// The least confidence worth showing, 0...1.
    public var confidenceThreshold: Double?
    /// The overlap (intersection over union, 0...1) above which boxes suppress each other.
    public var overlapThreshold: Double?

    /// Makes an edit.
    public init(kind: DetectorDescription.Kind, anchors: [Double]) {
      self.kind = kind
      self.anchors = anchors
    }
  }

  /// The model's name.
  public var name: String?
  /// Who made it.
  public var author: String?
  /// The terms of use: an SPDX expression, or any text.
  public var license: String?
  /// What should be known about the terms; what the text itself shows when not said.
  public var licenseNote: String?
  /// The model's own version.
  public var version: String?
  /// What it does, in a sentence or two.
  public var summary: String?
  /// New names of inputs.
  public var inputNames: [Rename] = []
  /// New names of outputs.
  public var outputNames: [Rename] = []
  /// Names that inputs have once they are renamed. When nothing is renamed by ``inputNames``, the
  /// model has none of these names and they are as many as its inputs, the inputs get them in order.
  public var listedInputs: [String] = []
  /// Names that outputs have once they are renamed; as ``listedInputs``.
  public var listedOutputs: [String] = []
  /// What inputs hold, by new name.
  public var inputSummaries: [String: String] = [:]
  /// What outputs hold, by new name.
  public var outputSummaries: [String: String] = [:]
  /// The inputs that take images.
  public var images: [Image] = []
  /// The names of the classes, in the order of the output's scores.
  public var labels: [String]?
  /// How boxes are read from the outputs.
  public var detector: DetectorEdit?
  /// Whatever else is to be said, by key.
  public var userDefined: [String: String] = [:]

  /// Says nothing.
  public init() {}
}
