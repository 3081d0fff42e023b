import Foundation
import ProtobufWire
import TestSupport
import Testing
import Weighbridge

/// The files of `Samples/Hostile/onnx` and how they are refused.
enum HostileONNXFiles {
  static let all: [HostileFile] = [
    .init("attribute_twice", .malformed, "two attributes group"),
    .init(
      "axis_missing", .malformed,
      "Softmax names axis 1, expected one of a tensor that has axis 0 only"),
    .init("axis_twice", .malformed, "Squeeze names an axis twice: [0, -4]"),
    .init("bias_shape", .malformed, "layer #0 y (Conv): the bias"),
    .init(
      "condition_list", .malformed,
      "has a condition of 2 elements, and the condition of an If has one"),
    .init(
      "condition_tensor", .malformed,
      "has bool [1, 3, 6, 6] as its condition, expected one element of bool"),
    .init("constant_huge", .limitExceeded, "layer #0 c (ConstantOfShape): computes"),
    .init(
      "cycle", .malformed,
      "the nodes form a cycle, so that none can be computed first: #0 a (Add), which reads from "
        + "#1 b (Relu), which reads from #0 a (Add)"),
    .init(
      "cycle_body", .malformed, "#0 p (Add), which reads from #1 q (Relu), which reads from #0 p"),
    .init("cycle_self", .malformed, "the node #0 y (Add) reads its own output"),
    .init("deep", .limitExceeded, "nests messages deeper than the limit of 64"),
    .init(
      "deform_offsets", .malformed,
      "layer #0 y (DeformConv): takes the offsets float32 [1, 3, 6, 6]"),
    .init(
      "det_wide", .unsupported, "layer #0 y (Det): takes the determinants of float32 [1, 3, 6, 5]"),
    .init("dims_huge", .malformed, "the size of a tensor"),
    .init("dims_negative", .malformed, "layer the weight w: a tensor has the shape [-4, 3, 3, 3]"),
    .init("einsum_letters", .unsupported, "layer #0 y (Einsum): has the equation abcd->abz for"),
    .init("einsum_sizes", .malformed, "in which the sizes of a letter differ"),
    .init("element_type", .unsupported, "a tensor has elements of strings"),
    .init("external_absolute", .malformed, "/etc/passwd, outside of the model's folder"),
    .init("external_length", .malformed, "has 8 bytes in make.py, but its shape takes 432"),
    .init("external_missing", .missing, "nowhere.bin: cannot open"),
    .init("external_negative", .malformed, "has the offset -8"),
    .init("external_outside", .malformed, "outside of the model's folder, where nothing is read"),
    .init(
      "external_short", .malformed, "its 432 bytes from byte 999999999999 on are not in make.py"),
    .init(
      "float6", .unsupported,
      "layer #0 a (Cast): converts to float6e2m3, and only conversions to integers"),
    .init("function_deep", .limitExceeded, "functions are nested more than 64 deep"),
    .init("function_growing", .limitExceeded, "functions become more than 65536 nodes"),
    .init(
      "function_itself", .malformed, "layer n/y: the function own.F0 calls itself"),
    .init(
      "function_opset", .unsupported,
      "the function own.F0 uses the operators of opset 9 and the model those of 17"),
    .init("function_twice", .malformed, "the function own.F0 is defined twice"),
    .init(
      "function_wide", .malformed,
      "layer n: has 2 inputs and 1 output, and the function own.F0 has 1 and 1"),
    .init(
      "branch_elements", .unsupported,
      "one of its branches gives [int32 [1, 3, 6, 6]] and the other [float32 [1, 3, 6, 6]]"),
    .init(
      "branch_nowhere", .unsupported,
      "one of its branches cannot be read (reads nothing, which no node outputs), and its condition"
    ),
    .init(
      "branch_ranks", .unsupported,
      "one of its branches gives [float32 [1, 108]] and the other [float32 [1, 3, 6, 6]]"),
    .init(
      "loop_condition", .malformed,
      "has bool [1, 3, 6, 6] as its condition, expected one element of bool"),
    .init(
      "loop_counts", .malformed, "has float32 [] as its maximum, expected one element of int64"),
    .init(
      "loop_elements", .unsupported,
      "changes the state 0 from float32 [1, 3, 6, 6] to int32 [1, 3, 6, 6]"),
    .init(
      "loop_inputs", .malformed,
      "has a body that does not take the number of the step, the condition and every state"),
    .init("loop_itself", .malformed, "the node #0 y (Loop) reads its own output"),
    .init("loop_nowhere", .malformed, "reads nothing, which no node outputs"),
    .init(
      "loop_ranks", .unsupported,
      "changes the state 0 from float32 [1, 3, 6, 6] to float32 [1, 1, 3, 6, 6]"),
    .init("body_nowhere", .malformed, "layer #0 y (If): reads nothing, which no node outputs"),
    .init("expand_huge", .limitExceeded, "all computed constants would take"),
    .init(
      "gather_beyond", .malformed, "takes the element 3 along axis 1 of float32 [1, 3, 6, 6]"),
    .init("gather_sizes", .malformed, "takes the sizes at [9], and there are 2"),
    .init("opset_never", .unsupported, "opset -3, and 1 to"),
    .init("sequence_flat", .malformed, "takes a sequence float32 [3], and one of three axes is"),
    .init("shape_computed", .malformed, "do not fit [6, 6, 6], which takes 216"),
    .init("size_nan", .malformed, "and sizes are 0 or more"),
    .init("size_negative", .malformed, "makes a tensor of the shape [-6], and sizes are 0 or more"),
    .init("tile_negative", .malformed, "repeats its input [1, -1, 1, 1] times"),
    .init("attention_cache", .unsupported, "layer #0 y (Attention): has a cache of float32 [2, 2]"),
    .init("broadcast_axis", .malformed, "layer #0 y (Add): has axis=-9223372036854775808"),
    .init("crop_huge", .malformed, "layer #0 y (Crop): crops float32 [1, 3, 6, 6] by border="),
    .init("groups_zero", .malformed, "layer #0 y (Conv): has 0 groups"),
    .init(
      "input_sequence", .unsupported, "the input x is a sequence; only tensors can be read"),
    .init("input_shapeless", .unsupported, "the input x does not say how many axes it has"),
    .init(
      "input_strings", .unsupported,
      "the input x is a tensor of strings; only numbers can be read"),
    .init("input_untyped", .unsupported, "the input x does not say the type of its elements"),
    .init(
      "kernel_shape", .malformed,
      "has kernel_shape=[5, 5], expected the last sizes of the kernel [4, 3, 3, 3]"),
    .init("length_huge", .malformed, "bytes, but 0 are left in the enclosing message"),
    .init("loop_growing", .limitExceeded, "all computed constants would take"),
    .init("mel_beyond", .malformed, "and frequencies from 0 to half of it"),
    .init("metadata_wrong", .malformed, "the metadata detector is not JSON"),
    .init("metadata_picture", .malformed, "how an image becomes nowhere, which is no input"),
    .init("names_twice", .malformed, "two values are called y"),
    .init(
      "operators_unknown", .unsupported,
      "cannot be read: Warp (2 times), com.example.Fused. com.example is no part of ONNX"),
    .init(
      "narrow_sum", .unsupported,
      "layer #1 b (Add): computes with int4, and elements of that type can only"),
    .init("opset_missing", .malformed, "does not say which version of ONNX's operators it uses"),
    .init(
      "opset_twice", .malformed, "imports the versions 9, 17 of the default operator set, but"),
    .init("opset_new", .unsupported, "opset 99, and 1 to"),
    .init("output_missing", .malformed, "no node gives the output z"),
    .init("pads_negative", .malformed, "padding_before is [-1, 0], and must be at least 0"),
    .init("positions_huge", .limitExceeded, "elements in all windows, and 67108864 are the limit"),
    .init("power_alone", .malformed, "has no input 1, which Pow takes"),
    .init("range_huge", .limitExceeded, "makes a range of"),
    .init("range_list", .malformed, "expected one number of one type for each"),
    .init("regions_samples", .malformed, "has mode=avg and sampling_ratio=-1, expected avg or max"),
    .init("raw_size", .malformed, "has 17 bytes of elements, but its shape takes 432"),
    .init("reshape", .malformed, "do not fit [7]"),
    .init(
      "selection_foreign", .malformed,
      "layer #0 y (NonMaxSuppression): takes [images, boxes, 4] and [images, classes, boxes], not"),
    .init(
      "selection_thresholds", .malformed, "has the threshold [0.5, 0.5, 0.5], expected one number"),
    .init("setting_unknown", .unsupported, "has the attribute warp, which Conv does not have"),
    .init("truncated", .malformed, "are left in the enclosing message"),
    .init("twice", .malformed, "occurs twice"),
    .init("unpool_pads", .malformed, "layer #0 y (MaxUnpool): puts float32 [1, 3, 6, 6] back to"),
    .init("value_missing", .malformed, "reads nothing, which no node outputs"),
    .init("weight_unknown", .unsupported, "holds field 111, which this version does not know"),
    .init(
      "window_short", .malformed,
      "has a window of 1 axis for the input float32 [1, 3, 6, 6]"),
  ]
}

/// ONNX files that are not models, or that ask for too many resources.
@Suite struct HostileONNXTests {
  private func path(_ name: String) -> String { Paths.sample("Hostile/onnx/\(name).onnx") }

  @Test("A hostile file is refused with its place", arguments: HostileONNXFiles.all)
  func refused(_ file: HostileFile) throws {
    let error = try #require(failure { _ = try Model(contentsOf: path(file.name)) })
    #expect(file.explains(error), "\(error)")
    #expect(error.place.file != nil)
  }

  @Test("Every file of the folder is listed here with its error")
  func complete() {
    let names = Files.names(in: Paths.sample("Hostile/onnx")).filter { $0.hasSuffix(".onnx") }
    #expect(Set(names) == Set(HostileONNXFiles.all.map { "\($0.name).onnx" }))
  }

  /// Returns a file of a graph with a number of empty fields.
  private func file(_ count: Int, field: Int) -> [UInt8] {
    let empty = ProtobufField.header(field, byteCount: 0)
    let graph = Array(repeating: empty, count: count).flatMap { $0 }
    return [0x08, 0x08] + ProtobufField.header(7, byteCount: graph.count) + graph
  }

  @Test("Millions of empty messages are refused before they take memory", arguments: [1, 5, 11])
  func emptyMessages(field: Int) throws {
    let folder = try TemporaryFolder()
    try Files.write(file(3_000_000, field: field), to: folder.file("m.onnx"))
    let error = failure { _ = try Model(contentsOf: folder.file("m.onnx")) }
    #expect(error?.code == .limitExceeded)
  }

  @Test("No prefix of a file is a model, and none ends the program")
  func prefixes() throws {
    let folder = try TemporaryFolder()
    let complete = try Files.read(Paths.sample("ONNX/vgg.onnx"))
    for count in stride(from: 0, to: complete.count, by: 29) {
      try Files.write(complete.prefix(count), to: folder.file("m.onnx"))
      let error = failure { _ = try Model(contentsOf: folder.file("m.onnx")) }
      let codes: Set<WeighbridgeError.Code?> = [.malformed, .unsupported]
      #expect(codes.contains(error?.code), "\(count) bytes: \(error as Any)")
    }
  }

  @Test("Files with a changed byte are read or refused, and none ends the program")
  func changedBytes() throws {
    let folder = try TemporaryFolder()
    let original = try Files.read(Paths.sample("ONNX/unet.onnx"))
    var (readCount, refusedCount) = (0, 0)
    for position in stride(from: 0, to: original.count, by: 7) {
      var bytes = original
      bytes[position] ^= 1 << UInt8(position % 8)
      try Files.write(bytes, to: folder.file("m.onnx"))
      guard let error = failure({ _ = try Model(contentsOf: folder.file("m.onnx")) }) else {
        readCount += 1
        continue
      }
      let codes: Set<WeighbridgeError.Code> = [.malformed, .unsupported, .limitExceeded]
      #expect(codes.contains(error.code), "byte \(position): \(error)")
      refusedCount += 1
    }
    #expect(readCount > 0 && refusedCount > 0)
  }
}
