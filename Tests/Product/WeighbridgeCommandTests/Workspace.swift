import JSON
import TestSupport
import Testing
import Weighbridge

/// A folder with an existing output, which must survive any failure.
struct Workspace {
  static let oldContents = Array("what was there before\n".utf8)

  let folder: TemporaryFolder
  /// The path of the existing output.
  var output: String { folder.file("out.wbm") }

  init() throws {
    folder = try TemporaryFolder()
    try Files.write(Self.oldContents, to: output)
  }

  /// Expects the old output to be unchanged, and no other files but the named ones.
  func expectUntouched(
    _ others: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try Array(Files.read(output)) == Self.oldContents, sourceLocation: sourceLocation)
    #expect(folder.names == (others + ["out.wbm"]).sorted(), sourceLocation: sourceLocation)
  }
}

/// The samples of the tests.
enum Sample {
  static let detector = Paths.sample("Models/shape-detector/shape-detector.h5")
  static let input = Paths.sample("Models/shape-detector/input.npy")
  static let outputs = Paths.sample("Models/shape-detector/outputs.npz")
  static let layers = Paths.sample("Models/shape-detector/layers.npz")
  static let labels = Paths.sample("Models/shape-detector/labels.names")
  static let anchors = "2.85,2.46,2.96,4.61,4.96,4.19"

  static func hostile(_ name: String) -> String { Paths.sample("Hostile/keras/\(name).h5") }

  /// Converts the detector with its references.
  static func convert(to path: String) throws {
    try Program.run(
      "convert", detector, "-o", path, "--reference-inputs", input, "--reference-outputs", outputs,
      "--reference-by", "keras 2.1.5", "--quiet"
    ).expect(0)
  }
}

extension Outcome {
  /// The output as JSON.
  func json() throws -> JSONObject {
    try #require(try JSONValue(parsing: Array(output.utf8)).object)
  }
}
