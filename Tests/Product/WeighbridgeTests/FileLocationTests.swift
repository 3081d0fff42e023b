import Foundation
import Testing
import Weighbridge
import WeighbridgeFoundation

/// Files named by URLs instead of strings.
@Suite struct FileLocationTests {
  @Test("Models, arrays, images, metadata and reports are read and written by URL")
  func urls() throws {
    let sample = URL(filePath: Project.detector)
    let folder = FileManager.default.temporaryDirectory.appending(path: "a b-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = try Model(contentsOf: sample.appending(path: "shape-detector.h5"))
    let file = folder.appending(path: "é.wbm")
    try model.write(to: file)
    try Metadata.edit(file) { $0.author = "A. Author" }
    #expect(try Metadata.read(file).author == "A. Author")
    #expect(try Inspection(of: file).format == "wbm 1.0")
    let report = try model.export(to: folder.appending(path: "m.onnx"), as: .onnx())
    #expect(report.files.map { URL(filePath: $0).lastPathComponent } == ["m.onnx"])
    try model.export(to: folder.appending(path: "m.safetensors"))
    let arrays = try ArrayFile.read(sample.appending(path: "input.npy"))
    #expect(arrays[0].tensor.shape == [1, 88, 88, 3])
    let image = try Image(contentsOf: sample.appending(path: "picture.png"))
    try image.write(to: folder.appending(path: "p.png"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["m.onnx", "m.safetensors", "p.png", "é.wbm"])
  }

  @Test("A URL that is not a file's is refused")
  func otherSchemes() throws {
    let url = try #require(URL(string: "https://example.org/model.h5"))
    #expect {
      _ = try Model(contentsOf: url)
    } throws: { error in
      let error = error as? WeighbridgeError
      return error?.code == .mismatch && error?.reason.contains("https://example.org") == true
    }
  }

  @Test("Elements are used as they are in memory")
  func elements() throws {
    let tensor = try ArrayFile.read("\(Project.detector)/input.npy")[0].tensor
    let sum = try tensor.withElements(of: Float.self) { elements in
      elements.indices.reduce(0.0) { $0 + Double(elements[$1]) }
    }
    #expect(sum == tensor.doubles.reduce(0, +) && tensor.floats.map(Double.init) == tensor.doubles)
    let copy = try tensor.withElements(of: Float.self) {
      Tensor(shape: tensor.shape, copying: $0)
    }
    #expect(copy.floats == tensor.floats && copy.type == tensor.type)
    #expect(Tensor(.float16, shape: [2], floats: [0.5, 3]).doubles == [0.5, 3])
    #expect {
      try tensor.withElements(of: Double.self) { _ in }
    } throws: { ($0 as? WeighbridgeError)?.code == .mismatch }
    let integers: [Int32] = [1, -2, 3]
    #expect(Tensor(shape: [3], copying: integers.span).doubles == [1, -2, 3])
  }

  @Test("A cancelled task stops a run of its model, and other work")
  func cancellation() async throws {
    let model = try Model(contentsOf: "\(Project.detector)/shape-detector.h5")
    let session = try model.session()
    let tensor = try ArrayFile.read("\(Project.detector)/input.npy")[0].tensor
    let name = model.inputs[0].name
    let outputs = try await session.outputs(for: [name: tensor])
    #expect(outputs[model.outputs[0].name] != nil)
    let codes = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return [
        await code { _ = try await session.outputs(for: [name: tensor]) },
        await code {
          _ = try await onAnotherThread { (cancellation) throws(WeighbridgeError) in
            var options = VerifyOptions()
            options.run.cancellation = cancellation
            return try model.verify(options).passed
          }
        },
      ]
    }.value
    #expect(codes == [.cancelled, .cancelled])
  }

  private func code(_ body: () async throws -> Void) async -> WeighbridgeError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? WeighbridgeError)?.code
    }
  }
}
