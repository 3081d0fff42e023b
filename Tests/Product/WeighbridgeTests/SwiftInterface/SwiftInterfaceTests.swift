import Foundation
import TestSupport
import Testing
import Weighbridge

@Suite struct SwiftInterfaceTests {
  /// The folder that the modules are built in, found in the parent folders of the test bundle.
  private static let build: String? = {
    let arguments = CommandLine.arguments
    let option = arguments.firstIndex(of: "--test-bundle-path").map { $0 + 1 }
    var folder = URL(
      filePath: arguments[option.flatMap { arguments.indices.contains($0) ? $0 : nil } ?? 0])
    for _ in 0..<5 {
      folder.deleteLastPathComponent()
      if Files.isFolder(folder.appending(path: "Modules").path) { return folder.path }
    }
    return nil
  }()

  /// Type-checks without writing anything; warnings are errors.
  private static let script = """
    maps=$(ls "$1"/Sources/CLibraries/*/module.modulemap \
      "$1"/Sources/CLibraries/*/include/module.modulemap "$2"/C*.build/module.modulemap 2>/dev/null \
      | sed 's/^/-Xcc -fmodule-map-file=/')
    hdf5=$(pkg-config --cflags hdf5-serial 2>/dev/null || pkg-config --cflags hdf5)
    for flag in $hdf5; do maps="$maps -Xcc $flag"; done
    exec swiftc -typecheck -wmo -swift-version 6 -warnings-as-errors -parse-as-library \
      -I "$2/Modules" $maps "$3"/*.swift 2>&1
    """

  private static func compile(_ folder: String) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", script, "sh", Paths.project, try #require(build), folder,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// The samples that contain a model.
  private static func samples() throws -> [String] {
    let root = Paths.sample("")
    let paths = try #require(FileManager.default.enumerator(atPath: root))
    return paths.compactMap { $0 as? String }.filter { path in
      !path.hasPrefix("Hostile")
        && [".h5", ".keras", ".onnx", ".mlmodel", ".cfg", ".wbm"].contains { path.hasSuffix($0) }
    }.sorted().map { root + $0 }
  }

  /// Whether the tools that type-checking takes are installed.
  private static let canCompile: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "command -v swiftc && command -v pkg-config"]
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(
    "The interfaces of all samples that can be read compile without warnings",
    .enabled(if: canCompile, "needs swiftc and pkg-config"))
  func samples() throws {
    let folder = try TemporaryFolder()
    var count = 0
    // What differs in numbers only compiles alike.
    var kinds: Set<String> = []
    for path in try Self.samples() {
      // Samples that are only weights, or have unknown layers or no input
      // shape, cannot be read by themselves.
      let model: Model
      do throws(WeighbridgeError) {
        model = try Model(contentsOf: path)
      } catch {
        #expect(
          [.missing, .unsupported].contains(error.code)
            || path.hasSuffix("/Darknet/training/setup.cfg")
            || path.contains("/Shapeless/"), "\(error)")
        continue
      }
      count += 1
      let code = model.swiftInterface(named: "Model\(count)")
      guard kinds.insert(code.filter { !$0.isNumber }).inserted else { continue }
      try Files.write(code.utf8, to: folder.file("model\(count).swift"))
    }
    try #require(count >= 750 && kinds.count >= 100)
    let outcome = try Self.compile(folder.path)
    #expect(outcome.status == 0, "\(outcome.output.prefix(4000))")
  }

  @Test(
    "Interfaces with names that clash with Swift's compile, and so does code that uses them",
    .enabled(if: canCompile, "needs swiftc and pkg-config"))
  func fightingNames() throws {
    let folder = try TemporaryFolder()
    var model = try Sketches.model { edit in
      edit.inputNames = [.init(old: nil, new: "class")]
      edit.images[0].input = "class"
      edit.outputNames = [.init(old: nil, new: "the answer: \"\\(x)\"")]
      edit.summary = "Tells sketches.\n*/ In two lines."
      edit.inputSummaries = ["class": "One\nsketch"]
    }
    try Files.write(model.swiftInterface(named: "String").utf8, to: folder.file("a.swift"))
    model.content.description.labels = []
    try Files.write(model.swiftInterface(named: "my model").utf8, to: folder.file("b.swift"))
    let use = """
      import Weighbridge

      func use(_ image: Image) async throws {
        let model = try StringModel(contentsOf: "x.wbm")
        let output = try await model.prediction(class: image)
        let label: Swift.String = output.classLabel
        print(label, output.classLabelProbs["star"] ?? 0, output.theAnswerX.shape)
        let other = try MyModel(contentsOf: "y.wbm")
        let inputs = [MyModelInput(class: image)]
        print(try await other.predictions(inputs: inputs).map(\\.theAnswerX), inputs[0].class)
      }

      func useWithoutWaiting(_ model: StringModel, _ image: Image) throws(WeighbridgeError) {
        print(try model.prediction(class: image), try model.predictions(inputs: []))
      }
      """
    try Files.write(use.utf8, to: folder.file("use.swift"))
    let outcome = try Self.compile(folder.path)
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  @Test(
    "An input that may be left out has a default argument",
    .enabled(if: canCompile, "needs swiftc and pkg-config"))
  func optionalInputs() throws {
    let folder = try TemporaryFolder()
    let samples = [("remembering", "Remembering"), ("defaults", "Defaults")]
    for (file, name) in samples {
      let model = try Model(contentsOf: Paths.sample("CoreML/\(file).mlmodel"))
      try Files.write(model.swiftInterface(named: name).utf8, to: folder.file("\(file).swift"))
    }
    let use = """
      import Weighbridge

      func use(_ x: Tensor, _ h: Tensor) async throws {
        let model = try Remembering(contentsOf: "x.mlmodel")
        let first = try await model.prediction(features: x)
        let next = RememberingInput(features: x, h_in: first.h_out)
        print(try await model.prediction(input: next), RememberingInput(features: x))
        let other = try Defaults(contentsOf: "y.mlmodel")
        print(try await other.prediction(input: DefaultsInput(x: x, summand: h)).y)
      }
      """
    try Files.write(use.utf8, to: folder.file("use.swift"))
    let outcome = try Self.compile(folder.path)
    #expect(outcome.status == 0, "\(outcome.output)")
    let code = String(decoding: try Files.read(folder.file("defaults.swift")), as: UTF8.self)
    #expect(code.contains("Each element is 2.5 where it is left out."))
  }

  @Test("An input that is left out has its default value")
  func omittedInputs() throws {
    let model = Paths.sample("CoreML/defaults")
    let interface = try ModelInterface(
      contentsOf: "\(model).mlmodel", inputs: try Self.types("\(model).mlmodel", \.inputs),
      outputs: try Self.types("\(model).mlmodel", \.outputs))
    let x = try #require(try ArrayFile.read("\(model).inputs.npz").first { $0.name == "x" })
    let result = try interface.prediction([
      ("x", .tensor(x.tensor)), ("factor", nil), ("summand", nil),
    ])
    let expected = try #require(try ArrayFile.read("\(model).outputs.npz").first)
    for (one, other) in zip(try result.tensor("y").doubles, expected.tensor.doubles) {
      #expect(abs(one - other) < 1e-5)
    }
  }

  private static func types(
    _ path: String, _ ports: KeyPath<Model, [ModelPort]>
  ) throws -> [String: String] {
    let model = try Model(contentsOf: path)
    return Dictionary(uniqueKeysWithValues: model[keyPath: ports].map { ($0.name, "\($0.type)") })
  }

  @Test("Documentation comments describe images and arrays")
  func documentation() throws {
    let model = try Sketches.model { $0.inputSummaries = ["sketch": "White ink on black"] }
    let code = model.swiftInterface(named: "sketch-classifier", bundled: "sketches.wbm")
    for part in [
      "/// White ink on black\n  ///\n  /// Grayscale image, 64 pixels wide by 64 pixels high",
      "/// float32 [batch, 8]\n  public var dense_2: Weighbridge.Tensor",
      "public final class SketchClassifier: Sendable", "public convenience init()",
      "Bundle.module.path(forResource: \"sketches.wbm\", ofType: nil)",
    ] {
      #expect(code.contains(part), "\(part)")
    }
  }

  @Test("The runtime behind generated classes returns tensors and class labels")
  func predictions() async throws {
    let folder = try TemporaryFolder()
    try Sketches.model().write(to: folder.file("sketches.wbm"))
    let interface = try ModelInterface(
      contentsOf: folder.file("sketches.wbm"), inputs: ["sketch": "float32 [batch, 64, 64, 1]"],
      outputs: ["dense_2": "float32 [batch, 8]"])
    let image = try Image(contentsOf: "\(Sketches.folder)/picture.png")
    let result = try interface.prediction([("sketch", .image(image))])
    #expect(result.classLabel == "star" && result.classLabelProbs.count == 8)
    #expect(abs((result.classLabelProbs["star"] ?? 0) - 0.99993) < 1e-5)  // by Keras
    #expect(try result.tensor("dense_2").shape == [1, 8] && result.detections.isEmpty)
    let input = try ArrayFile.read("\(Sketches.folder)/input.npy")[0].tensor
    let label = try await interface.onAnotherThread {
      try interface.prediction([("sketch", .tensor(input))]).classLabel
    }
    #expect(label == "star")
  }

  @Test("A model other than the one the code was generated for is refused")
  func otherModels() throws {
    let path = "\(Sketches.folder)/sketch-classifier.h5"
    let error = failure {
      _ = try ModelInterface(contentsOf: path, inputs: ["image": "float32 [3]"], outputs: [:])
    }
    #expect(error?.code == .mismatch && error?.reason.contains("generate it again") == true)
  }
}
