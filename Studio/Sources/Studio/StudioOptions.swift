/// What a studio serves, and what it allows.
package struct StudioOptions: Sendable {
  /// The folder of models.
  package var models: String
  /// The folder of photos that are searched; `nil` for none.
  package var photos: String?
  /// The folder with a folder of pictures for each label; `nil` for none.
  package var sketches: String?
  /// The layer whose numbers are a sketch's features; `nil` for the one before the last with weights.
  package var features: String?
  /// The folder where indexes are kept; `nil` for one that goes with the studio.
  package var indexes: String?
  /// What may be sent to be reported on.
  package var modelLimit = UploadLimit(byteCount: 1 << 29)
  /// What a picture may have.
  package var pictureLimit = UploadLimit(byteCount: 32 << 20)
  /// How long the work for a request may take, in seconds.
  package var timeLimit = 120
  /// The most memory for reading what was sent, in bytes.
  package var memoryLimit = 4 << 30
  /// How long a client may leave an answer unread, in seconds.
  package var patience = 30

  /// Serves a folder of models.
  package init(models: String) { self.models = models }
}
