public import GraphIR
public import Vision

/// Options for updating an index.
public struct UpdateOptions: Sendable {
  /// The number of images that are analyzed at once, at least 1; one for each processor when `nil`.
  /// The results do not depend on it.
  public var threads: Int?
  /// The limits for image files.
  public var limits = ImageLimits()
  /// May stop the work between images.
  public var cancellation: Cancellation?
  /// Called for each image that is finished and stored, by one thread at a time.
  public var progress: (@Sendable (UpdateProgress) -> Void)?

  /// All processors, the default limits.
  public init() {}
}

/// The progress of an update.
public struct UpdateProgress: Hashable, Sendable {
  /// The file that was finished.
  public let path: String
  /// The outcome for it.
  public let outcome: Outcome
  /// The number of new and changed files that are finished.
  public let doneCount: Int
  /// The number of new and changed files.
  public let count: Int

  /// The outcome for a file.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// It was analyzed.
    case analyzed
    /// An image with the same bytes was already stored: the file was moved or copied, or only its
    /// date has changed.
    case known
    /// It is an image but cannot be read.
    case unreadable
    /// It is not a JPEG or PNG file.
    case otherFile
  }
}

/// A summary of an update.
public struct ImageIndexUpdate: Hashable, Sendable {
  /// A file and its problem.
  public struct Problem: Hashable, Sendable {
    /// The file.
    public var path: String
    /// The reason.
    public var reason: String
  }

  /// The number of readable images in the folder, all of which are now in the index.
  public var imageCount = 0
  /// The number of images that were analyzed.
  public var analyzedCount = 0
  /// The number of new or changed files whose bytes were already stored.
  public var knownCount = 0
  /// The number of images that were skipped because nothing about their files had changed.
  public var unchangedCount = 0
  /// The number of files that are no longer in the folder.
  public var removedCount = 0
  /// The images and folders that cannot be read, by path.
  public var problems: [Problem] = []
  /// The files that are not images, by path.
  public var otherFiles: [String] = []
}
