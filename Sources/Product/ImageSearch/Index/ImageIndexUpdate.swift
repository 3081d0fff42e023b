public import GraphIR
public import Vision

/// How an index is brought up to date.
public struct UpdateOptions: Sendable {
  /// How many images are analyzed at once, at least 1; one for each processor when `nil`. The results
  /// do not depend on it.
  public var threads: Int?
  /// What an image file may ask for.
  public var limits = ImageLimits()
  /// May stop the work between images.
  public var cancellation: Cancellation?
  /// Called for each image that is done, by one thread at a time: it is stored then.
  public var progress: (@Sendable (UpdateProgress) -> Void)?

  /// All processors, the default limits.
  public init() {}
}

/// How far an update is.
public struct UpdateProgress: Hashable, Sendable {
  /// The file that is done.
  public let path: String
  /// What was done with it.
  public let outcome: Outcome
  /// How many of the new and changed files are done.
  public let doneCount: Int
  /// How many new and changed files there are.
  public let count: Int

  /// What was done with a file.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// It was analyzed.
    case analyzed
    /// An image with the same bytes was stored before: it was moved or copied, or only its date was
    /// changed.
    case known
    /// It is an image and cannot be read.
    case unreadable
    /// It is no JPEG or PNG file.
    case otherFile
  }
}

/// What an update did.
public struct ImageIndexUpdate: Hashable, Sendable {
  /// A file and what is wrong with it.
  public struct Problem: Hashable, Sendable {
    /// The file.
    public var path: String
    /// What is wrong.
    public var reason: String
  }

  /// The number of images in the folder that can be read; they are in the index now.
  public var imageCount = 0
  /// The images that were analyzed.
  public var analyzedCount = 0
  /// The new or changed files whose bytes were known.
  public var knownCount = 0
  /// The images that were left alone, because nothing about their files had changed.
  public var unchangedCount = 0
  /// The files that are not in the folder any more.
  public var removedCount = 0
  /// The images and folders that cannot be read, by path.
  public var problems: [Problem] = []
  /// The files that are no images, by path.
  public var otherFiles: [String] = []
}
