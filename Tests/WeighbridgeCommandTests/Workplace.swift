import JSON
import TestSupport
import Testing
import Weighbridge

/// A folder to work in, with an older output that must survive whatever fails.
struct Workplace {
  static let precious = Array("what was there before\n".utf8)

  let folder: TemporaryFolder
  /// The path of the output, which exists.
  var output: String { folder.file("out.wbm") }

  init() throws {
    folder = try TemporaryFolder()
    try Files.write(Self.precious, to: output)
  }

  /// Expects the older output as it was, and nothing beside it but the named files.
  func expectUntouched(
    _ others: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try Array(Files.read(output)) == Self.precious, sourceLocation: sourceLocation)
    #expect(folder.names == (others + ["out.wbm"]).sorted(), sourceLocation: sourceLocation)
  }
}

/// The samples that the program is tried on.
enum Sample {
  static let detector = Places.sample("Models/shape-detector/shape-detector.h5")
  static let input = Places.sample("Models/shape-detector/input.npy")
  static let outputs = Places.sample("Models/shape-detector/outputs.npz")
  static let layers = Places.sample("Models/shape-detector/layers.npz")
  static let labels = Places.sample("Models/shape-detector/labels.names")
  static let anchors = "2.85,2.46,2.96,4.61,4.96,4.19"

  static func hostile(_ name: String) -> String { Places.sample("Hostile/keras/\(name).h5") }

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
