import Bytes
import Foundation

/// A reader to fuzz, and its initial files.
package struct FuzzTarget: Sendable {
  /// The name on the command line.
  package let name: String
  /// The ends of the paths of the samples that it reads, such as `.h5`.
  package let endings: [String]
  /// Generated inputs that are not in any file.
  private let made: [[UInt8]]
  /// The path, from a sample's folder, of a second file that is part of the input; `nil` for inputs
  /// of one file.
  private let companion: String?
  /// The largest sample to mutate, in bytes.
  package let sizeLimit: Int
  /// Reads bytes. Errors are expected; anything else is a finding.
  package let read: @Sendable ([UInt8]) throws -> Void

  init(
    _ name: String, _ endings: [String], made: [[UInt8]] = [], companion: String? = nil,
    sizeLimit: Int = 1 << 16,
    _ read: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.name = name
    self.endings = endings
    self.made = made
    self.companion = companion
    self.sizeLimit = sizeLimit
    self.read = read
  }

  /// Whether an input is a file that the program can be given.
  package var readsFiles: Bool {
    companion == nil && endings.first.map { !$0.contains("/") } ?? false
  }

  /// Whether there are any initial inputs.
  package var hasSamples: Bool { !endings.isEmpty || !made.isEmpty }

  /// Returns the initial inputs: the project's samples in a fixed order, and the generated ones.
  ///
  /// - Parameter root: The project's folder.
  /// - Throws: A `missing` error if the target has samples and none are in this folder.
  package func samples(in root: String) throws -> [[UInt8]] {
    let samples = try paths(in: root).map(input) + made
    if hasSamples && samples.isEmpty {
      throw WeighbridgeError(
        .missing, "no samples for \(name) in \(root), which is not the project's folder")
    }
    return samples
  }

  /// Returns the input of a sample: its bytes, or its size in four bytes, its bytes and those of its
  /// companion, if there is one.
  private func input(_ path: String) throws -> [UInt8] {
    let url = URL(filePath: path)
    var bytes = Array(try Data(contentsOf: url))
    guard let companion else { return bytes }
    let second = url.deletingLastPathComponent().appending(path: companion)
    bytes = (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
    return bytes + Array((try? Data(contentsOf: second)) ?? Data())
  }

  /// Returns the two files of an input with a companion.
  static func parts(_ bytes: [UInt8]) -> (first: [UInt8], companion: [UInt8]) {
    let size = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let files = bytes.dropFirst(4)
    return (Array(files.prefix(size)), Array(files.dropFirst(size)))
  }

  /// Returns the paths of the project's sample files.
  func paths(in root: String) -> [String] {
    let folders = ["Samples", "Tests/Formats/HDF5FileTests/Files", "Schemas"]
    return folders.flatMap { folder -> [String] in
      guard let files = FileManager.default.enumerator(atPath: "\(root)/\(folder)") else {
        return []
      }
      return files.compactMap { $0 as? String }.map { "\(root)/\(folder)/\($0)" }
    }.filter { path in
      endings.contains { path.hasSuffix($0) } && (1...sizeLimit).contains(Self.size(path))
    }.sorted()
  }

  private static func size(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.size] as? Int ?? 0
  }
}

/// A file in memory for readers that need a path.
struct ScratchFile {
  let path: String

  /// - Parameter ending: The extension of the file's name.
  init(_ bytes: [UInt8], ending: String) throws {
    path = Self.path(ending: ending)
    try Data(bytes).write(to: URL(filePath: path))
  }

  /// The path of a file or folder with this extension, in `/dev/shm` if the system has it.
  static func path(ending: String) -> String {
    let shared = "/dev/shm"
    let folder =
      FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
    return "\(folder)/weighbridge-fuzz-\(ProcessInfo.processInfo.processIdentifier)\(ending)"
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Calls `body` with the path of a file with these bytes.
  static func with<Result>(
    _ bytes: [UInt8], ending: String, _ body: (String) throws -> Result
  ) throws -> Result {
    let file = try ScratchFile(bytes, ending: ending)
    defer { file.remove() }
    return try body(file.path)
  }
}
