/// What a helper does.
package enum HelperWork: Equatable, Sendable {
  /// Answers with the page that reports what is in the files of a folder.
  case report(folder: String, verifies: Bool)
  /// Brings an index of pictures up to date, and answers with a line of JSON for each step.
  case index(IndexWork)

  /// Pictures that a model looks at.
  package struct IndexWork: Equatable, Sendable {
    /// The folder of pictures.
    package var folder: String
    /// The model's file.
    package var model: String
    /// The layer whose numbers are the features; empty for a detector's detections.
    package var features: String
    /// The database.
    package var database: String

    /// Names the work.
    package init(folder: String, model: String, features: String, database: String) {
      (self.folder, self.model, self.features) = (folder, model, features)
      self.database = database
    }
  }

  /// The command line.
  package var words: [String] {
    switch self {
    case .report(let folder, let verifies): ["report", folder, verifies ? "verify" : "read"]
    case .index(let work): ["index", work.folder, work.model, work.features, work.database]
    }
  }

  /// What a command line says; `nil` when it is none of ``words``.
  package init?(words: [String]) {
    switch (words.first, words.count) {
    case ("report", 3): self = .report(folder: words[1], verifies: words[2] == "verify")
    case ("index", 5):
      self = .index(
        IndexWork(folder: words[1], model: words[2], features: words[3], database: words[4]))
    default: return nil
    }
  }
}
