/// What went wrong, and where.
///
/// Inner code knows the reason; the code that calls it adds the place with ``at(file:)``,
/// ``at(_:)`` and ``at(layer:)``. They never replace a part of the place that is already
/// known, so every level can add what it knows.
///
/// ```swift
/// do {
///   let model = try Model(contentsOf: "old.h5")
/// } catch {
///   guard error.code == .unsupported else { throw error }
///   print(error)  // old.h5: layer #3 lambda_1 (Lambda): …
/// }
/// ```
public struct WeighbridgeError: Error, Hashable, Sendable {
  /// The kind of failure; stable, for programs to act on.
  public let code: Code
  /// What was found, what was expected and what is possible.
  public let reason: String
  /// Where the problem was found.
  public private(set) var place: Place

  /// Creates an error.
  public init(_ code: Code, _ reason: String, place: Place = Place()) {
    self.code = code
    self.reason = reason
    self.place = place
  }
}

extension WeighbridgeError {
  /// A kind of failure. A struct, so that a new kind does not break callers' switches.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, such as `malformed`, as reports and JSON output give it.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// The file or one of its parts is not there or cannot be opened.
    public static let missing = Code("missing")
    /// The bytes do not follow their format.
    public static let malformed = Code("malformed")
    /// The bytes are not those that were written: a checksum does not match.
    public static let damaged = Code("damaged")
    /// The file ends before it should.
    public static let truncated = Code("truncated")
    /// The bytes follow their format and ask for something Weighbridge cannot do.
    public static let unsupported = Code("unsupported")
    /// What the user gave does not fit the model (labels, anchors, names, arrays).
    public static let mismatch = Code("mismatch")
    /// The output could not be written.
    public static let outputFailed = Code("outputFailed")
    /// A documented limit was reached.
    public static let limitExceeded = Code("limitExceeded")
    /// The work was cancelled from outside.
    public static let cancelled = Code("cancelled")
  }

  /// Where something was found: the file, the position in it, and the model's layer.
  public struct Place: Hashable, Sendable {
    /// The file's path as the user gave it.
    public var file: String?
    /// The position in the file.
    public var position: Position?
    /// The layer, for example `#3 lambda_1 (Lambda)`.
    public var layer: String?

    /// Creates a place of which nothing is known yet.
    public init() {}
  }

  /// A position in a file, in the terms of its format.
  public enum Position: Hashable, Sendable {
    /// A byte offset from the start of the file.
    case byte(Int)
    /// A line of a text file; the first is 1.
    case line(Int)
    /// A path inside an HDF5 file, a JSON value or an archive.
    case path(String)
  }

  /// The same error with its file, unless it is already known.
  public func at(file: String) -> Self {
    var copy = self
    if copy.place.file == nil { copy.place.file = file }
    return copy
  }

  /// The same error with its position, unless it is already known.
  public func at(_ position: Position) -> Self {
    var copy = self
    if copy.place.position == nil { copy.place.position = position }
    return copy
  }

  /// The same error at another error's place.
  package func at(_ place: Place) -> Self {
    var copy = self
    copy.place = place
    return copy
  }

  /// The same error with its layer, unless it is already known.
  public func at(layer: String) -> Self {
    var copy = self
    if copy.place.layer == nil { copy.place.layer = layer }
    return copy
  }
}

/// Shorthands for errors of each code, for functions with typed throws: `throw .malformed("…")`.
extension WeighbridgeError {
  /// Something that is not there or cannot be opened.
  package static func missing(_ reason: String) -> Self { Self(.missing, reason) }

  /// Bytes that do not follow their format.
  package static func malformed(_ reason: String) -> Self { Self(.malformed, reason) }

  /// Bytes that are not those that were written.
  package static func damaged(_ reason: String) -> Self { Self(.damaged, reason) }

  /// A file that ends before it should.
  package static func truncated(_ reason: String) -> Self { Self(.truncated, reason) }

  /// Something that Weighbridge cannot do.
  package static func unsupported(_ reason: String) -> Self { Self(.unsupported, reason) }

  /// User input that does not fit the model.
  package static func mismatch(_ reason: String) -> Self { Self(.mismatch, reason) }

  /// An output that could not be written.
  package static func outputFailed(_ reason: String) -> Self { Self(.outputFailed, reason) }

  /// A documented limit that was reached.
  package static func limitExceeded(_ reason: String) -> Self { Self(.limitExceeded, reason) }

  /// Work that was cancelled from outside.
  package static func cancelled(_ reason: String) -> Self { Self(.cancelled, reason) }
}

extension WeighbridgeError: CustomStringConvertible {
  /// The place, then the reason, on one line (a list of layers may take more).
  public var description: String {
    let text = place.description
    return text.isEmpty ? reason : "\(text): \(reason)"
  }
}

extension WeighbridgeError.Place: CustomStringConvertible {
  /// `file:line`, `file: byte offset` or `file:/path`, then the layer.
  public var description: String {
    var text = file ?? ""
    switch position {
    case .line(let line): text += ":\(line)"
    case .path(let path): text += ":\(path)"
    case .byte(let offset): text += (text.isEmpty ? "" : ": ") + "byte \(offset)"
    case nil: break
    }
    guard let layer else { return text }
    return text.isEmpty ? "layer \(layer)" : "\(text): layer \(layer)"
  }
}

/// Runs `body` and adds what is known about the place to its errors.
package func locating<Result>(
  _ addPlace: (WeighbridgeError) -> WeighbridgeError,
  _ body: () throws(WeighbridgeError) -> Result
) throws(WeighbridgeError) -> Result {
  do { return try body() } catch { throw addPlace(error) }
}
