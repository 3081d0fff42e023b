import TestSupport
import Testing
import Weighbridge

/// The files of `Samples/Hostile/tflite` and how they are refused.
enum HostileTFLiteFiles {
  static let all: [HostileFile] = [
    .init("activation", .unsupported, "layer #0 y (CONV_2D): has the activation number 5"),
    .init("archive_absolute", .malformed, "/etc/labels.txt", "outside of the folder"),
    .init("archive_leaves", .malformed, "../labels.txt", "outside of the folder"),
    .init("axis", .malformed, "names axis 9, expected one of a tensor that has the axes 0 to 1"),
    .init("branch_beyond", .malformed, "runs the graph -7 with 1 inputs, which the file lacks"),
    .init("branch_condition", .malformed, "has float32 [1, 4] as its condition, expected one"),
    .init("branch_counts", .malformed, "the model has no output"),
    .init("branch_itself", .limitExceeded, "runs graphs that run each other 16 times and more"),
    .init(
      "branch_shapes", .unsupported, "gives [float32 [1, 4]] and the other [bool []], expected"),
    .init(
      "branch_types", .unsupported, "gives [float32 [1, 4]] and the other [int32 [1, 4]], expected"),
    .init("buffer_missing", .malformed, "layer the tensor w: has its elements in the buffer 9"),
    .init("buffer_short", .malformed, "layer the tensor w: has 20 bytes of elements"),
    .init("buffers_overlap", .malformed, "has two buffers that share bytes"),
    .init("code_beyond", .malformed, "has the operator code 7, and there are 1"),
    .init("code_unknown", .unsupported, "has the operator number 999, which is not known"),
    .init("elements_missing", .malformed, "reads w, which has no elements in the file"),
    .init("field_outside", .malformed, "has the field 0 at byte 4000 of a table of"),
    .init(
      "flex", .unsupported, "FlexErf (2 times), Warp", "SELECT_TF_OPS",
      "known only to the application"),
    .init("form_odd", .malformed, "with a table of fields of 7 bytes"),
    .init("form_outside", .malformed, "outside of the file"),
    .init("given_twice", .malformed, "layer #1 y (CONV_2D): gives y"),
    .init("loop_beyond", .malformed, "runs the graph 9 with 1 inputs, which the file lacks"),
    .init("loop_condition", .malformed, "has float32 [1, 4] as its condition, expected one"),
    .init("loop_itself", .limitExceeded, "runs graphs that run each other 16 times and more"),
    .init("loop_outputs", .unsupported, "gives 2 results, and only 1 can be read"),
    .init("loop_states", .malformed, "has 1 states, and its body gives 2"),
    .init("loop_type", .malformed, "gives float32 [1, 4], and the file says that it is int32"),
    .init("offset_outside", .malformed, "byte 0", "has an offset of 1073741824"),
    .init("offset_zero", .malformed, "has an offset of 0"),
    .init("options_kind", .malformed, "has options of the kind 5, and CONV_2D has 1"),
    .init("order", .malformed, "reads y, which has no elements in the file and which no operator"),
    .init("output_beyond", .malformed, "has the tensor 99 as an input or output"),
    .init("output_missing", .malformed, "no operator gives the output z"),
    .init("reshape", .malformed, "has a size of -7"),
    .init("resizing", .malformed, "resizes to the height and width [2147483647, 4], expected"),
    .init("scale_negative", .malformed, "layer the tensor x: has a scale that is negative"),
    .init("scales_axis", .malformed, "layer the tensor w: has scales along axis 8"),
    .init("scales_count", .malformed, "has 5 scales for an axis of 3"),
    .init("scales_empty", .malformed, "layer the tensor x: has 0 scales and 1 zero points"),
    .init("scales_missing", .malformed, "computes with x, which is int8 without a scale"),
    .init("shape_negative", .malformed, "layer the tensor x: has the sizes [1, 4, -4, 2]"),
    .init("shared_tables", .limitExceeded, "refers to the same parts so often"),
    .init("sparse", .unsupported, "layer the tensor w: is stored as a sparse tensor"),
    .init("stride", .malformed, "layer #0 y (CONV_2D): the attribute strides is [0, 1]"),
    .init("tensor_beyond", .malformed, "reads or gives the tensor 99, and there are 3"),
    .init("text", .malformed, "has a text that is not UTF-8"),
    .init("texts", .unsupported, "the tensor x has elements of texts"),
    .init("trailing", .malformed, "bytes that are no ZIP archive"),
    .init("truncated", .malformed, "byte"),
    .init("variables", .unsupported, "READ_VARIABLE. Variables keep elements from run to run"),
    .init("vector_long", .malformed, "has a vector of 2147483647 elements of 4 bytes"),
    .init("version", .unsupported, "has version 2 of the schema, and only 3 can be read"),
  ]
}

/// TFLite files that are not models, or that ask for too many resources.
@Suite struct HostileTFLiteTests {
  private func path(_ name: String) -> String { Paths.sample("Hostile/tflite/\(name).tflite") }

  @Test("A hostile file is refused with its place", arguments: HostileTFLiteFiles.all)
  func refused(_ file: HostileFile) throws {
    let error = try #require(failure { _ = try Model(contentsOf: path(file.name)) })
    #expect(file.explains(error), "\(error)")
    #expect(error.place.file != nil)
  }

  @Test("Every file of the folder is listed here with its error")
  func complete() {
    let names = Files.names(in: Paths.sample("Hostile/tflite")).filter {
      $0.hasSuffix(".tflite")
    }
    let refused = HostileTFLiteFiles.all.map { "\($0.name).tflite" }
    #expect(Set(names) == Set(refused + ["loops_nested.tflite"]))
    #expect(names.count >= 50)
  }

  @Test("Loops in loops that never end are read as loops")
  func nestedLoops() throws {
    let layers = try Inspection(of: path("loops_nested")).layers
    #expect(layers.map(\.kind) == ["loop"])
  }

  @Test("No prefix of a file is a model, and none ends the program")
  func prefixes() throws {
    let folder = try TemporaryFolder()
    let bytes = try [UInt8](Files.read(Paths.sample("TFLite/2.15/int8_classifier.tflite")))
    #expect(bytes.count > 1000)
    for count in stride(from: 1, to: bytes.count - 16, by: 61) {
      try Files.write(Array(bytes.prefix(count)), to: folder.file("m.tflite"))
      #expect(failure { _ = try Model(contentsOf: folder.file("m.tflite")) } != nil)
    }
  }

  @Test("What a file with unknown operators consists of is shown")
  func outline() throws {
    let inspection = try Inspection(of: path("flex"))
    #expect(inspection.layers.map(\.className) == ["FlexErf", "Warp", "FlexErf"])
  }
}
