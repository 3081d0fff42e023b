import TestSupport
import Testing

/// `--custom-layers` and `--keep-unknown`, for every command that reads a source.
@Suite struct CustomLayerCommandTests {
  private let weights = Paths.sample("Hostile/keras/weights_only.h5")
  private let folder = Result { try TemporaryFolder() }

  /// Options for the weights with an architecture that has a layer of the class `Odd`, and the
  /// message about that class.
  private func options(mapping: String?) throws -> [String] {
    let folder = try folder.get()
    let text = ChainArchitecture.json(layers: 3).replacing("\"Activation\"", with: "\"Odd\"")
    try Files.write(text.utf8, to: folder.file("net.json"))
    guard let mapping else { return ["--architecture", folder.file("net.json")] }
    try Files.write("{\"classes\": {\"Odd\": \(mapping)}}".utf8, to: folder.file("custom.json"))
    return [
      "--architecture", folder.file("net.json"), "--custom-layers", folder.file("custom.json"),
    ]
  }

  @Test("convert, inspect, verify and diff accept a mapping, and the provenance records it")
  func mapped() throws {
    let options = try options(
      mapping: #"{"class_name": "Activation", "config": {"activation": "$settings.activation"}}"#)
    let output = try folder.get().file("out.wbm")
    let conversion = try Program.run(["convert", weights, "-o", output] + options)
    conversion.expect(0, "decision: layer2: classes.Odd says that it is Activation")
    let inspection = try Program.run("inspect", output, "--json")
    inspection.expect(0)
    for text in [
      "\"custom-layers\": \"custom.json\"", "\"role\": \"custom-layers\"", "\"runs\": true",
    ] {
      #expect(inspection.output.contains(text), "\(inspection.output)")
    }
    try Program.run(["inspect", weights] + options).expect(0)
    try Program.run(["verify", output, "--against", weights] + options).expect(0)
    try Program.run(["diff", output, weights] + options).expect(0)
    try Program.run(["verify", output] + options.suffix(2)).expect(
      2, "is a .wbm file: --custom-layers does not apply")
  }

  @Test("Without a mapping the layer is named and nothing is written")
  func unknown() throws {
    let output = try folder.get().file("out.wbm")
    let outcome = try Program.run(["convert", weights, "-o", output] + options(mapping: nil))
    outcome.expect(
      3, "#2 layer2 (Odd), takes float32 [batch, 3], activation=\"tanh\"",
      "\"activation\": \"$settings.activation\"")
    #expect(try folder.get().names == ["net.json"])
  }

  @Test("A kept layer is marked, verified as far as possible, and does not run")
  func kept() throws {
    let options = try options(mapping: #"{"keep": true, "output_shapes": [[null, 3]]}"#)
    let output = try folder.get().file("out.wbm")
    try Program.run(["convert", weights, "-o", output] + options).expect(
      0, "decision: layer2: is kept as it is, and cannot run")
    let inspection = try Program.run("inspect", output)
    inspection.expect(0)
    #expect(inspection.output.contains("cannot run: kept without being understood: layer2 (Odd)"))
    let verification = try Program.run("verify", output)
    verification.expect(0)
    #expect(verification.output.contains("skipped  references"), "\(verification.output)")
    let input = Paths.sample("Models/shape-detector/input.npy")
    try Program.run("run", output, "--inputs", input, "--outputs", "/dev/null").expect(
      3, "#1 layer2 (Odd): has no known computation")
    try Program.run(["convert", weights, "-o", output, "--keep-unknown"] + options.prefix(2))
      .expect(3, "#3 b (Dense)", #"{"layers":{"layer2":{"keep":true,"output_shapes":[[null,3]]}}}"#)
  }
}
