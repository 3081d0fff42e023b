import TestSupport
import Testing
import Weighbridge

@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct FixtureModelTests {
  @Test(
    "A model computes what its own Keras computed, in both engines", arguments: FixtureModel.all,
    Engine.ofInstructionSet)
  func outputs(_ fixture: FixtureModel, engine: Engine) throws {
    let model = try Model(contentsOf: fixture.path, options: fixture.options)
    var run = RunOptions()
    run.engine = engine
    let outputs = try model.run(ArrayFile.read(fixture.inputs), options: run).outputs
    for distance in distances(actual: outputs, expected: try ArrayFile.read(fixture.outputs)) {
      let comment: Comment = "\(fixture.file), \(engine): \(distance)"
      if let limit = fixture.absolute {
        #expect(distance.absolute <= limit, comment)
      } else {
        #expect(distance.error <= 1e-5, comment)
      }
    }
  }

  @Test(
    "The .wbm equals its source tensor by tensor, and is the same bytes each time",
    arguments: FixtureModel.all)
  func conversion(_ fixture: FixtureModel) throws {
    let folder = try TemporaryFolder()
    for name in ["first.wbm", "second.wbm"] {
      try Model(contentsOf: fixture.path, options: fixture.options).write(to: folder.file(name))
    }
    #expect(folder.names == ["first.wbm", "second.wbm"])
    let bytes = try Files.read(folder.file("first.wbm"))
    #expect(try bytes == Files.read(folder.file("second.wbm")))
    var options = VerifyOptions()
    options.against = fixture.path
    options.againstOptions = fixture.options
    let report = try Model(contentsOf: folder.file("first.wbm")).verify(options)
    #expect(report.passed, "\(report.results)")
    #expect(report.results.contains { $0.name == "source" && $0.status == .passed })
  }

  @Test("Tiny YOLO has its 15,867,885 parameters and takes at most 64 KB besides its arrays")
  func size() throws {
    let fixture = FixtureModel.tinyYOLO
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: fixture.path)
    let (inputs, outputs) = (
      try ArrayFile.read(fixture.inputs), try ArrayFile.read(fixture.outputs)
    )
    try model.addReferences(inputs: inputs, outputs: outputs, author: "keras 2.1.5")
    try model.write(to: folder.file("tinyyolo.wbm"))
    let inspection = try Inspection(of: folder.file("tinyyolo.wbm"))
    #expect(inspection.parameterCount == 15_867_885)
    let arrays = (inputs + outputs).reduce(0) { $0 + $1.tensor.byteCount }
    let overhead = inspection.fileSize - inspection.weightByteCount - arrays
    #expect(try inspection.fileSize == Files.size(folder.file("tinyyolo.wbm")))
    #expect((0...64 << 10).contains(overhead), "\(overhead) bytes")
  }
}
