import Bytes
import ConversionCore
import FormatRegistry
import Foundation
import GraphIR
import JSON
import Testing
import Weighbridge

/// The JSON that the program prints and reads conforms to `Schemas`.
@Suite struct SchemaTests {
  private let metadata = Result { try schema("metadata") }
  private let inspection = Result { try schema("inspect") }
  private let source = "\(Project.detector)/shape-detector.h5"

  private static func schema(_ name: String) throws -> JSONValue {
    try JSONValue(parsing: Array(try Project.text("Schemas/\(name).schema.json").utf8))
  }

  /// The examples in the schema: a complete one, and a detector of another kind.
  private func examples() throws -> [JSONValue] {
    try #require(try metadata.get().object?["examples"]?.array)
  }

  private func example() throws -> JSONValue { try #require(try examples().first) }

  private func json(_ arguments: String...) throws -> JSONValue {
    let (output, status) = try Program.run(arguments)
    #expect(status == 0)
    return try JSONValue(parsing: Array(output.utf8))
  }

  @Test("The examples in the metadata schema have every member, and fit the schema")
  func examplesAreComplete() throws {
    let schema = try metadata.get()
    var members: Set<String> = []
    for example in try examples() {
      #expect(SchemaCheck(schema).problems(example) == [])
      members.formUnion(SchemaCheck.members(ofValue: example))
    }
    let declared = SchemaCheck.members(of: schema)
    #expect(declared.count > 20)
    for member in declared { #expect(members.contains(member.path)) }
  }

  @Test(
    "Every member in a schema is described", arguments: ["metadata", "inspect", "custom-layers"])
  func membersAreDescribed(name: String) throws {
    let members = SchemaCheck.members(of: try Self.schema(name))
    #expect(members.count >= (name == "custom-layers" ? 3 : 40))
    for member in members {
      let rules = member.schema.object
      #expect(rules?["description"] != nil || rules?["$ref"] != nil, "\(member.path)")
    }
  }

  @Test("A model takes every member that the metadata schema has, and prints it back")
  func metadataRoundTrip() throws {
    try withTemporaryFile("shapes.wbm") { output in
      let file = output + ".json"
      let example = try example()
      try example.text(indented: true).write(toFile: file, atomically: true, encoding: .utf8)
      _ = try json("convert", source, "-o", output, "--metadata", file, "--json")
      let printed = try json("metadata", output, "--json")
      #expect(SchemaCheck(try metadata.get()).problems(printed) == [])
      let lost = SchemaCheck.members(ofValue: example)
        .subtracting(SchemaCheck.members(ofValue: printed))
      #expect(lost == ["/inputs/*/source", "/outputs/*/source"], "read only, as the schema says")
    }
  }

  @Test("--metadata accepts what metadata --json prints, for the source and the .wbm")
  func printedMetadataIsTaken() throws {
    try withTemporaryFile("shapes.wbm") { output in
      let (file, again) = (output + ".json", output + ".again.wbm")
      var model = try Model(contentsOf: source)
      try model.describe(try DescriptionEdit(metadata: try example()))
      try model.write(to: output)
      let printed = try Program.run("metadata", output, "--json").output
      try printed.write(toFile: file, atomically: true, encoding: .utf8)
      for input in [source, output] {
        _ = try json("convert", input, "-o", again, "--metadata", file, "--json")
        #expect(try Program.run("metadata", again, "--json").output == printed)
      }
    }
  }

  @Test("A member that the metadata schema does not have is refused at every level")
  func unknownMembers() throws {
    let paths = ["/", "/inputs/*/", "/inputs/*/image/", "/outputs/*/", "/detector/"]
    for path in paths + ["/detector/heads/*/"] {
      let changed = adding(
        "surplus", at: path.split(separator: "/").map(String.init), try example())
      #expect(SchemaCheck(try metadata.get()).problems(changed).count == 1)
      let error = #expect(throws: WeighbridgeError.self, "\(path)") {
        _ = try DescriptionEdit(metadata: changed)
      }
      #expect(error?.code == .mismatch)
      #expect(error?.description.contains("surplus: is not known") == true)
    }
  }

  @Test("The output of inspect --json fits its schema")
  func inspectionFits() throws {
    let check = SchemaCheck(
      try inspection.get(), others: ["metadata.schema.json": try metadata.get()])
    try withTemporaryFile("shapes.wbm") { output in
      var model = try Model(contentsOf: source)
      try model.describe(try DescriptionEdit(metadata: try example()))
      try model.addReferences(
        inputs: try ArrayFile.read("\(Project.detector)/input.npy"),
        outputs: try ArrayFile.read("\(Project.detector)/outputs.npz"), author: "keras 2.1.5")
      try model.write(to: output)
      let classifier = "\(Project.folder)/Samples/Models/sketch-classifier/sketch-classifier.h5"
      let weights = output + ".safetensors"
      try model.export(to: weights)
      let updatable = "\(Project.folder)/Samples/CoreML/fruit.mlmodel"
      let programs = ["program", "functions"].map {
        "\(Project.folder)/Samples/CoreML/\($0).mlpackage"
      }
      for file in [output, source, classifier, weights, updatable] + programs {
        #expect(check.problems(try json("inspect", file, "--json")) == [], "\(file)")
      }
    }
  }

  @Test(
    "inspect --json also fits its schema for models that cannot be converted and for weights alone")
  func outlinesFit() throws {
    let check = SchemaCheck(
      try inspection.get(), others: ["metadata.schema.json": try metadata.get()])
    for name in [
      "keras/unknown_layers.h5", "keras/weights_only.h5", "coreml/custom_layer.mlmodel",
      "onnx/operators_unknown.onnx", "darknet/section_unknown.cfg",
    ] {
      let file = "\(Project.folder)/Samples/Hostile/\(name)"
      #expect(check.problems(try json("inspect", file, "--json")) == [], "\(file)")
    }
  }

  @Test("The example in the schema of custom layers fits it and is read")
  func customLayers() throws {
    let schema = try Self.schema("custom-layers")
    let example = try #require(schema.object?["examples"]?.array?.first)
    #expect(SchemaCheck(schema).problems(example) == [])
    try withTemporaryFile("custom.json") { file in
      try example.text(indented: true).write(toFile: file, atomically: true, encoding: .utf8)
      var options = ReadOptions()
      options.customLayers = file
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try Model(contentsOf: source, options: options)
      }
      // It is about layers of other models.
      #expect(error?.description.contains("lambda_6 matches no mapped layer of the model") == true)
    }
  }

  @Test("A check against a schema finds a missing, a surplus and a wrong member")
  func checkFinds() throws {
    let check = SchemaCheck(try inspection.get())
    let problems = check.problems(.object(["path": 1, "other": true]))
    #expect(problems.contains("/path: a number is not \"string\""))
    #expect(problems.contains("/other: is not declared"))
    #expect(problems.contains("/format: is missing"))
  }

  /// A value with one more member in the object at `path`, where `*` is the first element.
  private func adding(_ key: String, at path: [String], _ value: JSONValue) -> JSONValue {
    guard let step = path.first else {
      var object = value.object ?? [:]
      object[key] = true
      return .object(object)
    }
    let rest = Array(path.dropFirst())
    if step == "*" {
      let elements = value.array ?? []
      return .array(elements.prefix(1).map { adding(key, at: rest, $0) } + elements.dropFirst())
    }
    var object = value.object ?? [:]
    object[step] = adding(key, at: rest, object[step] ?? .null)
    return .object(object)
  }
}
