public import Vision
public import Weighbridge

/// The content of a report in addition to the models' files.
public struct ReportOptions: Sendable {
  /// An image and its name.
  public struct NamedImage: Sendable {
    /// The file's name.
    public var name: String
    /// The image.
    public var image: Image

    /// Creates an image with its name.
    public init(name: String, image: Image) {
      self.name = name
      self.image = image
    }
  }

  /// Whether verifying is left out.
  public var noVerify = false
  /// Whether verifying compares the fast engine with the reference engine, which takes many times as
  /// long as a run.
  public var verify = false
  /// Whether the models are not run once more, to measure the time of each layer.
  public var noProfile = false
  /// How the models are verified, and also how they are run.
  public var verification: VerifyOptions
  /// An image in which detectors look for objects, and which classifiers classify.
  public var image: NamedImage?
  /// How objects are detected; ``/Weighbridge/VerifyOptions/run`` of ``verification`` says how
  /// models run.
  public var detection = DetectOptions()
  /// Rewords sentences that name this library's API, so that they name what the reader has: a
  /// program's option, a button.
  public var wording: @Sendable (String) -> String = { $0 }

  /// Verifies everything that can be checked with the files alone, layer by layer if they have
  /// references of layers.
  public init() {
    verification = VerifyOptions()
    verification.layers = true
  }
}

/// The names of version 0.2.
extension ReportOptions {
  /// The opposite of ``noVerify``.
  @available(*, deprecated, message: "use noVerify")
  public var verifies: Bool {
    get { !noVerify }
    set { noVerify = !newValue }
  }

  /// The opposite of ``noProfile``.
  @available(*, deprecated, message: "use noProfile")
  public var profiles: Bool {
    get { !noProfile }
    set { noProfile = !newValue }
  }
}
