import Bytes
import Foundation
import Testing

/// Files: mapped, listed, and written so that they appear only when they are complete.
@Suite struct FileTests {
  private let folder = Folder()

  private func write(_ name: String, _ contents: [UInt8]) throws -> String {
    let path = "\(folder.path)/\(name)"
    try Data(contents).write(to: URL(filePath: path))
    return path
  }

  private func read(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  @Test("A file is mapped from its first to its last byte, an empty one too")
  func mapping() throws {
    let contents = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
    let file = try MappedFile(path: write("a", contents))
    #expect(file.count == 10_000)
    file.advise(.random)
    file.advise(.sequential)
    file.release(-5..<20_000)
    #expect(file.withBytes { $0.copied(0..<$0.byteCount) } == contents)
    let empty = ByteStore(try MappedFile(path: write("b", [])))
    empty.release(0..<0)
    #expect(empty.count == 0 && empty.withBytes { $0.byteCount } == 0)
    #expect(empty.withDescriptor { $0 != nil } && ByteStore([1]).withDescriptor { $0 == nil })
  }

  @Test(
    "A path that is not a regular file is reported as missing, by its name",
    arguments: ["none", ".", ""])
  func notAFile(_ name: String) {
    let path = name.isEmpty ? "" : "\(folder.path)/\(name)"
    let error = #expect(throws: WeighbridgeError.self) { _ = try MappedFile(path: path) }
    #expect(error?.code == .missing && error?.place.file == path)
  }

  @Test("A FIFO, and a path with a NUL byte, are refused without waiting")
  func fifo() {
    let path = "\(folder.path)/fifo"
    #expect(mkfifo(path, 0o600) == 0)
    for path in [path, "\(folder.path)/a\0b"] {
      let error = #expect(throws: WeighbridgeError.self) { _ = try MappedFile(path: path) }
      #expect(error?.code == .missing)
    }
  }

  @Test("The names in a folder are sorted, without the folder itself and the one around it")
  func listing() throws {
    for name in ["b", "a", ".hidden", "ä"] { _ = try write(name, []) }
    #expect(FolderListing.names(in: folder.path) == [".hidden", "a", "b", "ä"])
    #expect(FolderListing.names(in: folder.path, limit: 2).count == 2)
    #expect(FolderListing.names(in: folder.path, limit: 0) == [])
    #expect(FolderListing.names(in: "\(folder.path)/none") == [])
  }

  @Test("Folders are created, and distinguished from files")
  func folders() throws {
    let path = "\(folder.path)/made"
    #expect(!exists(path) && !isFolder(path))
    try makeFolder(path)
    try makeFolder(path)
    #expect(exists(path) && isFolder(path))
    let file = try write("file", [1])
    #expect(exists(file) && !isFolder(file))
    for path in [file, "\(folder.path)/none/inner"] {
      let error = #expect(throws: WeighbridgeError.self) { try makeFolder(path) }
      #expect(error?.code == .outputFailed && error?.place.file == path)
    }
  }

  @Test("A folder that cannot be opened cannot be listed")
  func lockedFolder() throws {
    let path = "\(folder.path)/locked"
    try makeFolder(path)
    #expect(isFolder(path) && FolderListing.canList(path))
    let file = try write("file", [1])
    #expect(!FolderListing.canList(file))
    #expect(!FolderListing.canList("\(folder.path)/none"))
  }

  @Test(
    "A folder without permissions cannot be listed",
    .enabled(if: geteuid() != 0, "root may open every folder"))
  func folderWithoutPermissions() throws {
    let path = "\(folder.path)/locked"
    try makeFolder(path)
    #expect(chmod(path, 0) == 0)
    #expect(isFolder(path) && !FolderListing.canList(path))
    #expect(FolderListing.names(in: path) == [])
    #expect(chmod(path, 0o700) == 0)
  }

  @Test("A file appears with the commit and not before", arguments: [false, true])
  func atomic(_ isNamed: Bool) throws {
    let path = "\(folder.path)/new"
    var file = try AtomicFile(path: path, isNamed: isNamed)
    try file.append(([1, 2, 3] as [UInt8]).span.bytes)
    file.skip(2)
    try file.append(([6] as [UInt8]).span.bytes)
    try file.write(([9] as [UInt8]).span.bytes, at: 1)
    #expect(file.count == 6 && !exists(path))
    let temporaryName = file.temporaryName
    #expect((temporaryName != nil) == isNamed)
    var written: [UInt8] = []
    try file.withWrittenBytes { written = $0.copied(0..<$0.byteCount) }
    #expect(written == [1, 9, 3, 0, 0, 6])
    try file.syncData()
    try file.commit(replacing: false)
    #expect(try read(path) == written)
    #expect(FolderListing.names(in: folder.path) == ["new"])
  }

  @Test("An abandoned file leaves nothing behind", arguments: [false, true])
  func givenUp(_ isNamed: Bool) throws {
    do {
      var file = try AtomicFile(path: "\(folder.path)/new", isNamed: isNamed)
      try file.append(([1] as [UInt8]).span.bytes)
    }
    #expect(FolderListing.names(in: folder.path) == [])
  }

  private func put(_ bytes: [UInt8], at path: String, _ isNamed: Bool, replacing: Bool) throws {
    var file = try AtomicFile(path: path, isNamed: isNamed)
    try file.append(bytes.span.bytes)
    try file.commit(replacing: replacing)
  }

  @Test("An existing file is replaced only if that is allowed", arguments: [false, true])
  func replacing(_ isNamed: Bool) throws {
    let path = try write("old", [7])
    let error = #expect(throws: WeighbridgeError.self) {
      try put([1], at: path, isNamed, replacing: false)
    }
    #expect(error?.code == .outputFailed && error?.place.file == path)
    #expect(try read(path) == [7])
    try put([2, 3], at: path, isNamed, replacing: true)
    #expect(try read(path) == [2, 3])
    #expect(FolderListing.names(in: folder.path) == ["old"])
  }

  @Test("A range of another file is copied, whether it is mapped or in memory")
  func ranges() throws {
    let contents = (0..<9000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let source = ByteStore(try MappedFile(path: write("source", contents)))
    let path = "\(folder.path)/copy"
    var file = try AtomicFile(path: path)
    try file.append(4000..<9000, of: source)
    try file.append(1..<3, of: ByteStore([1, 2, 3]))
    try file.append(5..<5, of: source)
    try file.commit(replacing: false)
    #expect(try read(path) == Array(contents[4000...]) + [2, 3])
  }

  @Test("Bytes that another library wrote to the temporary file count once its name is removed")
  func unlinkedTemporaryName() throws {
    var file = try AtomicFile(path: "\(folder.path)/new", isNamed: true)
    let temporaryName = file.temporaryName
    let name = try #require(temporaryName)
    let handle = try FileHandle(forWritingTo: URL(filePath: name))
    try handle.write(contentsOf: Data([1, 2, 3, 4]))
    #expect(file.count == 0)
    try file.unlinkTemporaryName()
    let remainingName = file.temporaryName
    #expect(file.count == 4 && remainingName == nil && !exists(name))
    #expect(FolderListing.names(in: folder.path) == [])
  }

  @Test(
    "A path that no file can have is refused before anything is written",
    arguments: ["", "none/new", "."])
  func wrongPath(_ name: String) {
    let path = name.isEmpty ? "" : "\(folder.path)/\(name)"
    let error = #expect(throws: WeighbridgeError.self) { _ = try AtomicFile(path: path) }
    #expect(error?.code == .outputFailed && error?.place.file == path)
  }
}

/// A folder that is removed with its files when the value goes.
private final class Folder: Sendable {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "bytes-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
