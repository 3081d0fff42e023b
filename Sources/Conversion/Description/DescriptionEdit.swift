package import GraphIR

/// What a user says of a model, in the words of the command line or of a metadata file. What is not
/// said stays as it is.
package struct DescriptionEdit: Sendable {
  /// A new name for an input or output.
  package struct Rename: Sendable, Hashable {
    /// The name in the source; `nil` when the model has only one.
    package var old: String?
    /// The name from now on.
    package var new: String

    /// Makes a rename.
    package init(old: String?, new: String) {
      self.old = old
      self.new = new
    }
  }

  /// What is said of pictures as an input.
  package struct Image: Sendable, Hashable {
    /// The input, by its new name.
    package var input: String
    /// The order of the components; RGB, or gray for one channel, when not said.
    package var colorOrder: ImageInput.ColorOrder?
    /// The factor; 1 when not said.
    package var scale: Double?
    /// The summands; 0 when not said.
    package var bias: [Double]?
    /// The resize policy.
    package var resize: ImageInput.ResizePolicy?

    /// An image input of which nothing is said.
    package init(input: String) { self.input = input }
  }

  /// What is said of a detector.
  package struct DetectorEdit: Sendable, Hashable {
    /// The family.
    package var kind: Detector.Kind
    /// Widths and heights in turn.
    package var anchors: [Double]
    /// The least confidence worth showing.
    package var confidenceThreshold: Double?
    /// The overlap above which boxes suppress each other.
    package var overlapThreshold: Double?

    /// Makes an edit.
    package init(kind: Detector.Kind, anchors: [Double]) {
      self.kind = kind
      self.anchors = anchors
    }
  }

  package var name: String?
  package var author: String?
  package var license: String?
  package var version: String?
  package var summary: String?
  package var inputNames: [Rename] = []
  package var outputNames: [Rename] = []
  /// By new name.
  package var inputSummaries: [String: String] = [:]
  /// By new name.
  package var outputSummaries: [String: String] = [:]
  package var images: [Image] = []
  package var labels: [String]?
  package var detector: DetectorEdit?
  package var userDefined: [String: String] = [:]

  /// Says nothing.
  package init() {}
}
