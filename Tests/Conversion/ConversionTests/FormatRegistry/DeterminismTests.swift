import TestSupport
import Testing
import Weighbridge

@Suite struct DeterminismTests {
  /// Converts the detector with everything a file can hold.
  private func convert(_ source: String, to path: String) throws {
    var model = try Model(contentsOf: source)
    try model.describe(ModelCase.shapeDetector)
    try model.addReferences(
      inputs: ArrayFile.read(Paths.sample("Models/shape-detector/input.npy")),
      outputs: ArrayFile.read(Paths.sample("Models/shape-detector/outputs.npz")),
      author: "keras 2.1.5")
    try model.write(to: path)
  }

  @Test("The same file and options give the same bytes, wherever the file lies")
  func sameBytes() throws {
    let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
    let source = try Files.read(Paths.sample("Models/shape-detector/shape-detector.h5"))
    for folder in [first, second] {
      try Files.write(source, to: folder.file("detector.h5"))
      try convert(folder.file("detector.h5"), to: folder.file("detector.wbm"))
    }
    let bytes = try Files.read(first.file("detector.wbm"))
    #expect(try bytes == Files.read(second.file("detector.wbm")))
    #expect(bytes.firstRange(of: first.path.utf8) == nil, "the folder's name is in the file")
  }

  @Test("Writing what was read gives the same bytes")
  func rewriting() throws {
    let folder = try TemporaryFolder()
    try convert(
      Paths.sample("Models/shape-detector/shape-detector.h5"), to: folder.file("first.wbm"))
    try Model(contentsOf: folder.file("first.wbm")).write(to: folder.file("second.wbm"))
    #expect(try Files.read(folder.file("first.wbm")) == Files.read(folder.file("second.wbm")))
  }
}
