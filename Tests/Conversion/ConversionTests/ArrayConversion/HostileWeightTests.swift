import TestSupport
import Testing
import Weighbridge

/// The files of `Samples/Hostile/safetensors` and how they are refused.
enum HostileWeightFiles {
  static let all: [HostileFile] = [
    .init("cut", .malformed, "is cut off: its tensors end at byte 97, but it has 93"),
    .init("cut_header", .malformed, "byte 8: needs 65 bytes, but 22 are left"),
    .init("deep", .limitExceeded, "JSON nests deeper than 4 levels"),
    .init("dtype_later", .unsupported, ":w: has elements of the type F8_E4M3"),
    .init("dtype_missing", .malformed, ":w: has no dtype"),
    .init("dtype_nonsense", .malformed, ":w: has the type F31, which safetensors does not define"),
    .init("header_bytes", .malformed, "a string is not UTF-8"),
    .init("header_huge", .limitExceeded, "a header of 274877906944 bytes"),
    .init("header_longer", .malformed, "byte 8: needs 4096 bytes, but 89 are left"),
    .init("header_number", .malformed, "not JSON: found \"5\" where the end of the text"),
    .init("hole", .malformed, ":b: begins at byte 149 and leaves a gap"),
    .init("hole_first", .malformed, ":b: begins at byte 83 and leaves a gap"),
    .init("key_twice", .malformed, "the key \"w\" occurs twice"),
    .init("member_unknown", .unsupported, ":w: has an unknown member encoding"),
    .init("metadata_number", .malformed, ":__metadata__: has a epoch that is not a string"),
    .init("metadata_text", .malformed, ":__metadata__: is a string, expected an object"),
    .init("not_a_tensor", .malformed, ":w: is not an object with dtype"),
    .init("offsets_backwards", .malformed, ":w: has data_offsets that are not [begin, end]"),
    .init("offsets_beyond", .malformed, "is cut off"),
    .init("offsets_huge", .malformed, ":w: its offset is negative or too large"),
    .init("offsets_negative", .malformed, ":w: has -24 in its data_offsets"),
    .init("offsets_three", .malformed, ":w: has data_offsets that are not [begin, end]"),
    .init("overlap", .malformed, ":b: begins at byte 140 and overlaps the tensor before it"),
    .init("shape_fraction", .malformed, ":w: has 1.5 in its shape"),
    .init("shape_negative", .malformed, ":w: has -2 in its shape"),
    .init("shape_overflow", .malformed, ":w: its size is negative or too large"),
    .init("shape_overflow_zero", .malformed, ":w: its size is negative or too large"),
    .init("size", .malformed, ":w: has 24 bytes, but F32 [5] takes 20"),
    .init("trailing", .malformed, "has 1 byte after the last tensor"),
  ]
}

/// Files of weights that are broken, or belong to another network.
@Suite struct HostileWeightTests {
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  @Test("A broken safetensors file is refused with its place", arguments: HostileWeightFiles.all)
  func refused(_ file: HostileFile) {
    let path = Paths.sample("Hostile/safetensors/\(file.name).safetensors")
    // What can be read of it is shown, with the error.
    let error = failure {
      if let problem = try Inspection(of: path).problem { throw problem }
    }
    #expect(error.map(file.explains) == true, "\(error.map { "\($0)" } ?? "no error")")
  }

  @Test("Every file of the folder is expected here")
  func complete() {
    let names = Files.names(in: Paths.sample("Hostile/safetensors"))
      .filter { $0.hasSuffix(".safetensors") }
    #expect(names == HostileWeightFiles.all.map { "\($0.name).safetensors" }.sorted())
  }

  @Test("Weights of another network name what is missing, surplus or of another shape")
  func mismatch() throws {
    let folder = try TemporaryFolder()
    let arrays = [NamedTensor(name: "conv1/kernel", tensor: Tensor(.float32, shape: [1], [1]))]
    try ArrayFile.write(arrays, to: folder.file("w.npz"))
    var options = ReadOptions()
    #expect(
      failure { _ = try Model(contentsOf: folder.file("w.npz"), options: options) }?.code
        == .missing)
    options.architecture = detector
    let error = failure { _ = try Model(contentsOf: folder.file("w.npz"), options: options) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("has no weight ") == true)
  }
}
