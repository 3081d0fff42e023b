public import Vision
public import Weighbridge

/// What a report shows besides what is in the models' files.
public struct ReportOptions: Sendable {
  /// A picture and its name.
  public struct Picture: Sendable {
    /// The file's name.
    public var name: String
    /// The picture.
    public var image: Image

    /// Makes a picture with its name.
    public init(name: String, image: Image) {
      self.name = name
      self.image = image
    }
  }

  /// Whether the models are verified.
  public var verifies = true
  /// Whether the models are run once more, to say what each layer takes.
  public var profiles = true
  /// How the models are verified, and how they are run in any case.
  public var verification: VerifyOptions
  /// A picture in which detectors look for objects, and which classifiers classify.
  public var image: Picture?
  /// How objects are searched for; ``/Weighbridge/VerifyOptions/run`` of ``verification`` says how models run.
  public var detection = DetectOptions()
  /// Changes sentences that name this library's API, so that they name what the reader has: an option of
  /// a program, a button.
  public var wording: @Sendable (String) -> String = { $0 }

  /// Verifies all that the files allow to check, layer by layer where they hold references of layers.
  public init() {
    verification = VerifyOptions()
    verification.checksLayers = true
  }
}
