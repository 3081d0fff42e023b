import TestSupport
import Testing
import Weighbridge

/// The CPU engine on whole models, against the reference runtime.
@Suite struct ModelAgreementTests {
  @Test("There are recorded layers")
  func count() { #expect(Self.layers.count >= 176) }

  @Test("A recorded layer agrees with the reference", arguments: Self.layers)
  func layer(_ path: String) throws {
    try expectAgreement(Model(contentsOf: "\(path).h5"), "\(path).inputs.npz")
  }

  @Test(
    "A model of the zoo agrees with the reference",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"),
    arguments: [
      ("keras/zoo", "k2.h5"), ("keras/zoo", "k3.keras"), ("keras/oldzoo/k2.2.4", "model.h5"),
      ("keras/oldzoo/k1.2.2", "k1.h5"), ("darknet/small", "case.cfg"),
    ])
  func zoo(_ folder: String, _ file: String) throws {
    var options = ReadOptions()
    let folders = Fixtures.folders(in: folder).filter {
      Set(Files.names(in: Fixtures.file("\(folder)/\($0)"))).isSuperset(of: [file, "inputs.npz"])
    }
    #expect(!folders.isEmpty)
    for name in folders {
      let path = Fixtures.file("\(folder)/\(name)")
      options.customLayers = name == "lambda_affine" ? Self.customLayers : nil
      guard !Self.refused.contains(name) else {
        let error = #expect(throws: WeighbridgeError.self) {
          _ = try Model(contentsOf: "\(path)/\(file)")
        }
        let code: WeighbridgeError.Code =
          Self.unsupported.contains(name) ? .unsupported : .malformed
        #expect(error?.code == code, "\(error as Any)")
        continue
      }
      try expectAgreement(
        Model(contentsOf: "\(path)/\(file)", options: options), "\(path)/inputs.npz")
    }
  }

  private static let customLayers =
    "\(Paths.project)/Tests/Conversion/ConversionTests/Files/lambda_affine.json"

  /// Recorded networks of darknet that are refused: their weights do not fit, or darknet computes
  /// with numbers that are in no file.
  private static let refused: Set = [
    "conv_dilation2_nopad", "hdr_0_2_0_seen32", "header_only", "trunc_half", "trunc_last4",
    "trunc_mid_conv", "x_dontload", "x_dontloadscales",
  ]

  /// Those among them whose numbers are in no file.
  private static let unsupported: Set = [
    "conv_dilation2_nopad", "x_dontload", "x_dontloadscales",
  ]

  private static let layers = Files.names(in: Paths.sample("Layers")).flatMap { kind in
    Files.names(in: Paths.sample("Layers/\(kind)")).filter { $0.hasSuffix(".h5") }.map {
      Paths.sample("Layers/\(kind)/\($0.dropLast(3))")
    }
  }

  private func expectAgreement(_ model: Model, _ path: String) throws {
    let inputs = try ArrayFile.read(path)
    var options = RunOptions()
    options.engine = .reference
    let expected = try model.run(inputs, options: options).outputs
    for threads in 1...2 {
      options.engine = .cpu
      options.threads = threads
      let actual = try model.run(inputs, options: options).outputs
      #expect(!expected.isEmpty && actual.map(\.name) == expected.map(\.name))
      for (distance, output) in zip(distances(actual: actual, expected: expected), expected) {
        let tolerance = Tolerance.standard(for: output.tensor.elementType)
        #expect(
          distance.isWithin(absolute: tolerance.absolute, relative: tolerance.relative),
          "\(path), \(output.name), \(threads) threads: \(distance)")
      }
    }
  }
}
