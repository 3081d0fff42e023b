import Bytes
import Foundation
import HDF5File
import Testing

/// A file of `Samples/Hostile/hdf5`, and what the reader says of it.
struct HostileSample: Codable, CustomTestStringConvertible {
  /// The name in the folder.
  let file: String
  /// Which rule is broken.
  let story: String
  let code: String
  /// The path in the file; `nil` for a file that cannot be opened.
  let path: String?
  /// The byte offset, where the reason does not have it.
  let byte: Int?
  /// The whole reason.
  let reason: String

  var testDescription: String { story }

  /// Where they are.
  static let folder: String = {
    let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
    return "/\(root)/Samples/Hostile/hdf5"
  }()

  /// So many of the hostile files are there as files: the smallest ones.
  static let count = 120

  /// The files as they are committed; none where the list cannot be read.
  static let committed: [HostileSample] = {
    guard let data = try? Data(contentsOf: URL(filePath: "\(folder)/expected.json")) else {
      return []
    }
    return (try? JSONDecoder().decode([HostileSample].self, from: data)) ?? []
  }()

  /// What the reader says of a hostile file; `nil` when it does not say what it should.
  init?(_ hostile: HostileFile, _ errors: [WeighbridgeError]) {
    guard let error = errors.first(where: hostile.explains) else { return nil }
    file = "\(hostile.name).h5"
    story = hostile.story
    code = error.code.description
    reason = error.reason
    path = hostile.path
    if case .byte(let offset) = error.place.position { byte = offset } else { byte = nil }
  }

  /// Whether an error is the one that is expected.
  func isExplained(by error: WeighbridgeError) -> Bool {
    guard error.code.description == code, error.reason == reason else { return false }
    if let path { return error.place.position == .path(path) }
    return byte == nil || error.place.position == byte.map { .byte($0) }
  }
}

extension HostileFile {
  /// The story as a file's name.
  var name: String {
    let words = story.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return words.joined(separator: "-")
  }

  /// Whether an error is the one that the reader must give.
  func explains(_ error: WeighbridgeError) -> Bool {
    error.code == code && error.reason.contains(reason)
      && (path == nil || error.place.position == .path(path ?? ""))
  }
}
