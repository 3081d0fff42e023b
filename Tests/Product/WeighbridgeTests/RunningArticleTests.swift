import Foundation
import Testing
import Weighbridge

/// The article "Running models", compiled and run.
@Suite struct RunningArticleTests {
  private func writeModel(to path: String) throws {
    var model = try Model(contentsOf: "\(Project.detector)/shape-detector.h5")
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "image")]
    edit.outputNames = [.init(old: nil, new: "grid")]
    var image = DescriptionEdit.Image(input: "image")
    image.scale = 1.0 / 255
    edit.images = [image]
    try model.describe(edit)
    try model.write(to: path)
  }

  @Test("The article's code runs the sample detector in all the ways it names")
  func articleRuns() async throws {
    let sample = Project.detector
    let path = NSTemporaryDirectory() + "\(UUID().uuidString).wbm"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try writeModel(to: path)
    let (session, tensor) = try runOnce(path, sample)

    async let first = session.outputs(for: ["image": tensor])
    async let second = session.outputs(for: ["image": tensor])
    let both = try await [first["grid"], second["grid"]]
    let grids = try both.map { try #require($0).doubles }
    #expect(grids[0] == grids[1])
  }

  private func runOnce(_ path: String, _ sample: String) throws -> (Session, Tensor) {
    let model = try Model(contentsOf: path)
    let session = try model.session()
    let tensor = try ArrayFile.read("\(sample)/input.npy")[0].tensor
    let grid = try session.run(["image": tensor])["grid"]
    let wanted = try ArrayFile.read("\(sample)/outputs.npz")[0].tensor
    #expect(grid?.shape == wanted.shape)
    let distance = zip(grid?.doubles ?? [], wanted.doubles).map { abs($0 - $1) }.max()
    #expect(distance ?? .infinity < 1e-4)

    var batch = Array(repeating: tensor.doubles, count: 4).flatMap { $0 }
    let four = Tensor(.float32, shape: [4, 88, 88, 3], batch)
    let grids = try session.run(["image": four])["grid"]
    batch = grids?.doubles ?? []
    #expect(grids?.shape == [4] + wanted.shape.dropFirst())
    for (index, number) in wanted.doubles.enumerated() {
      #expect(abs(batch[batch.count / 4 * 3 + index] - number) < 1e-4)
    }

    let image = try Image(contentsOf: "\(sample)/picture.png")
    let seen = try session.run(images: ["image": [image]])["grid"]
    #expect(seen?.shape == wanted.shape)

    var largest: Float = 0
    try session.run(
      shapes: ["image": [1, 88, 88, 3]],
      writing: { input, elements in
        for index in elements.indices { elements[index] = 0.5 }
      },
      reading: { output, shape, elements in
        for index in elements.indices { largest = max(largest, elements[index]) }
      })
    let half = Tensor(.float32, shape: [1, 88, 88, 3], .init(repeating: 0.5, count: 88 * 88 * 3))
    let same = try session.run(["image": half])["grid"]
    #expect(Double(max(0, largest)) == max(0, same?.doubles.max() ?? .nan))

    let tried = try session.run(try model.generatedInputs(.random(seed: 1))).outputs
    #expect(tried[0].tensor.shape == wanted.shape)

    let result = try session.run([NamedTensor(name: "image", tensor: tensor)])
    for layer in result.profile {
      print(layer.name, layer.kind, layer.kernel, Double(layer.nanoseconds) / 1e6)
    }
    #expect(result.profile.contains { $0.kind == "convolution" || !$0.fused.isEmpty })
    return (session, tensor)
  }
}
