import Foundation
import TestSupport
import Testing
import Weighbridge

/// Paths that the output can and cannot be written to.
@Suite struct OutputTests {
  private func convert(to path: String, _ arguments: String...) throws -> Outcome {
    try Program.run(["convert", Sample.detector, "-o", path] + arguments)
  }

  @Test("A folder's name, which may end in a slash, is that of the output")
  func ofFolder() throws {
    let folder = try TemporaryFolder()
    let sample = Paths.sample("TensorFlow/2.15/sequential_cnn/saved_model")
    try Program.run("convert", "\(sample)/", in: folder.path).expect(0)
    #expect(folder.names == ["saved_model.wbm"])
  }

  @Test("A folder that does not exist cannot take the output")
  func noFolder() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("missing/out.wbm")
    try convert(to: path).expect(4, path, "No such file or directory")
    #expect(folder.names.isEmpty)
  }

  @Test("A folder cannot be replaced by the output")
  func isFolder() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("out.wbm"), withIntermediateDirectories: false)
    try convert(to: folder.file("out.wbm")).expect(4, "out.wbm: is a folder")
    #expect(folder.names == ["out.wbm"])
  }

  @Test("The output cannot be a device", arguments: ["/dev/full", "/dev/null"])
  func device(path: String) throws {
    try convert(to: path).expect(4, "\(path): exists and is not a regular file")
  }

  @Test(
    "A folder without write permission is left unchanged",
    .enabled(if: geteuid() != 0, "root may write everywhere"))
  func unwritable() throws {
    let workspace = try Workspace()
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: workspace.folder.path)
    try convert(to: workspace.output).expect(4, workspace.output, "Permission denied")
    try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: workspace.folder.path)
    try workspace.expectUntouched()
  }

  @Test("A limit on the size of files is a failed output, not a signal")
  func sizeLimit() throws {
    let workspace = try Workspace()
    let outcome = try Program.shell(
      #"ulimit -f 100; exec "$PROGRAM" convert "$1" -o "$2""#, Sample.detector, workspace.output)
    outcome.expect(4, workspace.output, "File too large")
    try workspace.expectUntouched()
  }

  @Test(
    "A full disk leaves the existing output unchanged",
    .enabled(if: TinyDisk.isPossible, "needs to mount a tmpfs, which only root may"))
  func fullDisk() throws {
    let disk = try TinyDisk()
    let path = "\(disk.path)/out.wbm"
    try Files.write(Workspace.oldContents, to: path)
    try convert(to: path).expect(4, path, "No space left on device")
    #expect(try Array(Files.read(path)) == Workspace.oldContents)
    #expect(Files.names(in: disk.path) == ["out.wbm"])
    try Program.run(
      "run", Sample.detector, "--inputs", Sample.input, "--layers", "--outputs",
      "\(disk.path)/y.npz"
    ).expect(4, "No space left on device")
    #expect(Files.names(in: disk.path) == ["out.wbm"])
  }

  @Test(
    "A read-only file system leaves the existing output unchanged",
    .enabled(if: TinyDisk.isPossible, "needs to mount a tmpfs, which only root may"))
  func readOnlyDisk() throws {
    let disk = try TinyDisk()
    let path = "\(disk.path)/out.wbm"
    try Files.write(Workspace.oldContents, to: path)
    try disk.forbidWriting()
    try convert(to: path).expect(4, path, "Read-only file system")
    #expect(try Array(Files.read(path)) == Workspace.oldContents)
    #expect(Files.names(in: disk.path) == ["out.wbm"])
  }

  @Test("An existing output is replaced, and refused with --no-clobber")
  func replacing() throws {
    let workspace = try Workspace()
    try convert(to: workspace.output, "--no-clobber").expect(4, workspace.output, "File exists")
    try workspace.expectUntouched()
    try convert(to: workspace.output).expect(0)
    #expect(workspace.folder.names == ["out.wbm"])
    try Program.run("verify", workspace.output).expect(0)
  }

  @Test("Without -o the output is named after the input and written to the current folder")
  func defaultName() throws {
    let folder = try TemporaryFolder()
    try Program.run(["convert", Sample.detector, "--quiet"], in: folder.path).expect(0)
    #expect(folder.names == ["shape-detector.wbm"])
  }

  @Test("--quiet prints nothing, and the default a line or two")
  func quiet() throws {
    let folder = try TemporaryFolder()
    let quiet = try convert(to: folder.file("a.wbm"), "--quiet")
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.messages.isEmpty)
    let loud = try convert(to: folder.file("b.wbm"))
    loud.expect(0, "23 nodes, 78,304 parameters")
    #expect(loud.output.isEmpty)
  }

  @Test("A model can be converted onto itself")
  func ontoItself() throws {
    let folder = try TemporaryFolder()
    try Sample.convert(to: folder.file("model.wbm"))
    let before = try Files.read(folder.file("model.wbm"))
    try Program.run("convert", folder.file("model.wbm"), "-o", folder.file("model.wbm")).expect(0)
    #expect(try Files.read(folder.file("model.wbm")) == before)
    #expect(folder.names == ["model.wbm"])
  }

  @Test("--verify puts a model in place only when it computes its references")
  func verifying() throws {
    let workspace = try Workspace()
    let files = try TemporaryFolder()
    var wrong = try ArrayFile.read(Sample.outputs)
    var numbers = wrong[0].tensor.doubles
    numbers[77] += 1
    wrong[0].tensor = Tensor(.float32, shape: wrong[0].tensor.shape, numbers)
    try ArrayFile.write(wrong, to: files.file("wrong.npz"))
    let references = ["--verify", "--reference-inputs", Sample.input, "--reference-outputs"]
    let command = ["convert", Sample.detector, "-o", workspace.output] + references
    try Program.run(command + [files.file("wrong.npz")]).expect(1, "worst at [0, 0, 3, 5]")
    try workspace.expectUntouched()
    try Program.run(command + [Sample.outputs]).expect(0)
  }
}

/// A file system of 64 KB.
final class TinyDisk {
  /// What `mount` says when it fails.
  private struct MountFailure: Error {
    let messages: String
  }

  private let folder: TemporaryFolder
  var path: String { folder.path }

  /// Whether such a file system can be mounted here.
  static let isPossible = geteuid() == 0 && (try? TinyDisk()) != nil

  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let mount = try Program.shell(#"mount -t tmpfs -o size=64k tmpfs "$1""#, folder.path)
    // Outside of a test, where a requirement would be an issue.
    guard mount.status == 0 else { throw MountFailure(messages: mount.messages) }
  }

  /// Makes the file system read-only.
  func forbidWriting() throws {
    try Program.shell(#"mount -o remount,ro "$1""#, folder.path).expect(0)
  }

  deinit { _ = try? Program.shell(#"umount "$1""#, folder.path) }
}
