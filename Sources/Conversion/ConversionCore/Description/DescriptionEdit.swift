public import GraphIR

/// What a user says about a model, on the command line or in a metadata file. What is not mentioned
/// stays unchanged.
public struct DescriptionEdit: Sendable {
  /// A new name for an input or output.
  public struct Rename: Sendable, Hashable {
    /// The name in the source; `nil` for the model's only input or output.
    public var old: String?
    /// The new name.
    public var new: String

    /// Creates a rename.
    public init(old: String?, new: String) {
      self.old = old
      self.new = new
    }
  }

  /// What is said about an image input.
  public struct Image: Sendable, Hashable {
    /// The input, by its new name.
    public var input: String
    /// The order of the color components; by default RGB, or gray for one channel.
    public var colorOrder: ImageInput.ColorOrder?
    /// The factor by which each component is multiplied; 1 by default.
    public var scale: Double?
    /// The bias that is added to each channel after scaling; 0 by default.
    public var bias: [Double]?
    /// The resize policy.
    public var resize: ImageInput.ResizePolicy?
    /// The axis order of the input; by default the one that fits its shape.
    public var layout: DataLayout?

    /// Creates an image input with default settings.
    public init(input: String) { self.input = input }
  }

  /// What is said about a detector.
  public typealias DetectorEdit = DetectorDescription.Fields

  /// The model's name.
  public var name: String?
  /// The model's author.
  public var author: String?
  /// The terms of use: an SPDX expression or any string.
  public var license: String?
  /// A note about the terms; by default derived from the license string.
  public var licenseNote: String?
  /// The model's own version.
  public var version: String?
  /// What it does, in a sentence or two.
  public var summary: String?
  /// New names of inputs.
  public var inputNames: [Rename] = []
  /// New names of outputs.
  public var outputNames: [Rename] = []
  /// The names of inputs after renaming. If ``inputNames`` is empty, none of these names is in the
  /// model, and there are as many of them as inputs, then the inputs are renamed to them, in order.
  public var listedInputs: [String] = []
  /// The names of outputs after renaming, like ``listedInputs``.
  public var listedOutputs: [String] = []
  /// Descriptions of inputs, by new name.
  public var inputSummaries: [String: String] = [:]
  /// Descriptions of outputs, by new name.
  public var outputSummaries: [String: String] = [:]
  /// What the elements of inputs are in runs that do not give them, by new name.
  public var inputDefaults: [String: Double] = [:]
  /// The inputs that take images.
  public var images: [Image] = []
  /// The outputs that are images, by ``Image/input``: how a pixel corresponds to an element. They have no
  /// resize policy.
  public var outputImages: [Image] = []
  /// The names of the classes, in the order of the output's scores.
  public var labels: [String]?
  /// How boxes are read from the outputs.
  public var detector: DetectorEdit?
  /// Further entries, by key.
  public var userDefined: [String: String] = [:]

  /// Creates an edit that changes nothing.
  public init() {}
}
