import TestSupport
import Testing
import Weighbridge

/// The network input that both forks of darknet compute from `dog.jpg`.
@Suite("Images as darknet's input", .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct DarknetInputTests {
  @Test(
    "A photo becomes the input that darknet makes of it",
    arguments: [
      ("dog_alexey_letterbox", ImageInput.ResizePolicy.letterbox),
      ("dog_pj_letterbox", .letterbox), ("dog_alexey_resize", .stretch),
    ])
  func recorded(name: String, policy: ImageInput.ResizePolicy) throws {
    let input = ImageInput(
      colorOrder: .rgb, scale: 1 / 255.0, bias: [0, 0, 0], resize: policy, layout: .channelsFirst)
    let actual = try Image(contentsOf: Fixtures.file("images/dog.jpg"))
      .tensor(for: input, width: 416, height: 416, policy: policy, resampling: .darknet)
    let file = Fixtures.file("darknet/yolov3-tiny/\(name)/inputs.npz")
    let expected = try #require(try ArrayFile.read(file).first).tensor
    // darknet decodes with stb_image, which may differ by a few steps of 1/255 in single pixels.
    let distance = Distance(actual: actual.tensor, expected: expected)
    #expect(distance.absolute <= 0.05, "\(distance)")
    let errors = zip(actual.tensor.doubles, expected.doubles).map { ($0 - $1).magnitude }
    #expect(errors.reduce(0, +) / Double(errors.count) <= 0.001)
  }
}
