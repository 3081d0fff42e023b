import GraphIR
import LayerCatalog
import Testing

@testable import Weighbridge

/// The reason that is given for a slow run, from made-up times.
@Suite struct SlownessReasonTests {
  private func reason(
    _ layers: [(kernel: KernelKind, milliseconds: UInt64)], hasPortableKernels: Bool = false
  ) throws -> String? {
    var builder = GraphBuilder()
    var value = try builder.addInput("input", TensorType(.float32, [1]))
    for number in layers.indices {
      value = try builder.addNode(
        Identity(), named: "layer_\(number)", inputs: [value],
        source: SourceScope(layer: "layer", className: "Identity"))[0]
    }
    let graph = try builder.finish(outputs: [Port(name: "output", value: value)])
    let profile = layers.enumerated().map { number, layer in
      RunResult.Layer(
        ComputedNode(number, of: graph, kernel: layer.kernel),
        nanoseconds: layer.milliseconds * 1_000_000)
    }
    return RunResult(outputs: [], layers: [], profile: profile)
      .slownessReason(hasPortableKernels: hasPortableKernels)
  }

  @Test("Runs of up to 10 ms, and runs on the reference kernels only, are not called slow")
  func unremarkable() throws {
    let fast = KernelKind.own("blocked convolution")
    #expect(try reason([(fast, 4), (.reference, 6)], hasPortableKernels: true) == nil)
    #expect(try reason([(.reference, 20)], hasPortableKernels: true) == nil)
    #expect(try reason([(fast, 11), (.reference, 10)]) == nil)
    #expect(try reason([]) == nil)
  }

  @Test("Portable kernels are a reason")
  func portable() throws {
    let reason = try reason([(.own("convolution"), 11)], hasPortableKernels: true)
    #expect(reason?.hasPrefix("slow: this processor has no AVX2") == true)
  }

  @Test("int8 layers without dot products of bytes are a reason if they take half of the time")
  func integers() throws {
    let (plain, other) = (KernelKind.own("int8 convolution"), KernelKind.own("max pooling"))
    let note = "no 8-bit dot products"
    #expect(try reason([(plain, 10), (other, 10)])?.contains(note) == true)
    #expect(try reason([(plain, 9), (other, 11)]) == nil)
    #expect(try reason([(.own("int8 convolution (VNNI)"), 20), (other, 1)]) == nil)
  }

  @Test("Layers on reference kernels are a reason if they take half of the time")
  func referenceKernels() throws {
    let fast = KernelKind.own("blocked convolution")
    let one = try reason([(fast, 5), (.reference, 15)])
    #expect(one?.contains("75 % of the time") == true)
    #expect(one?.hasSuffix("layer_1 (identity)") == true)
    let two = try reason([(.reference, 4), (fast, 10), (.reference, 6)])
    #expect(two?.hasSuffix("layer_2 (identity) and 1 more") == true)
  }
}
