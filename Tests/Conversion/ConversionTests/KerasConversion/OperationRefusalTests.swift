import TestSupport
import Testing
import Weighbridge

/// Numbers for which a function has no result.
@Suite struct OperationRefusalTests {
  @Test(
    "A model of which the file does not say what is computed, or a constant state, is refused",
    arguments: [
      ("keras3_2_1/shared_calls.h5", "is called 2 times, and Keras 3.2.0 and 3.2.1 write"),
      ("keras3_2_1/shared_calls.keras", "is called 2 times, and Keras 3.2.0 and 3.2.1 write"),
      (
        "keras2_refused/constant_states.h5",
        "is called with a constant as initial_state, [[[-1.0,-0.7142857313156128"
      ),
    ])
  func refused(_ name: String, _ text: String) throws {
    let error = failure { _ = try Model(contentsOf: Paths.sample("Operations/\(name)")) }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains(text) == true, "\(error as Any)")
  }

  @Test(
    "An item that is not there is an error, as in TensorFlow, and not another item",
    arguments: [[2, 4], [3, 0], [-1, 0], [0, -1], [0, 2_147_483_647]], [Engine.cpu, .reference])
  func missingItem(_ item: [Int], _ engine: Engine) throws {
    let base = Paths.sample("Operations/keras2/items")
    let model = try Model(contentsOf: "\(base).h5")
    var inputs = try ArrayFile.read("\(base).inputs.npz")
    let position = try #require(inputs.firstIndex { $0.tensor.elementType == .int32 })
    let indices = inputs[position].tensor
    var numbers = indices.doubles
    numbers.replaceSubrange(2..<4, with: item.map(Double.init))
    inputs[position] = NamedTensor(
      name: inputs[position].name, tensor: Tensor(.int32, shape: indices.shape, numbers))
    var options = RunOptions()
    options.engine = engine
    let error = failure { _ = try model.run(inputs, options: options) }
    #expect(error?.reason.contains("but the axis has") == true, "\(error as Any)")
  }

  @Test(
    "An index without a row in an embedding is an error, and no row of another index",
    arguments: [-1, 2_147_483_647], Engine.allCases)
  func missingRow(_ index: Int, _ engine: Engine) throws {
    let base = Paths.sample("Layers/embedding/embedding")
    let model = try Model(contentsOf: "\(base).h5")
    let input = try #require(try ArrayFile.read("\(base).inputs.npz").first)
    var numbers = input.tensor.doubles
    numbers[0] = Double(index)
    let tensor = Tensor(.int32, shape: input.tensor.shape, numbers)
    var options = RunOptions()
    options.engine = engine
    let error = failure {
      _ = try model.run([NamedTensor(name: input.name, tensor: tensor)], options: options)
    }
    #expect(error?.reason.contains("not an index from 0 to") == true, "\(error as Any)")
  }

  @Test(
    "An index from the end without a row in an embedding of Keras 3 is an error",
    arguments: [-4, 3], Engine.allCases)
  func missingRowFromEnd(_ index: Int, _ engine: Engine) throws {
    let base = Paths.sample("Operations/keras3/embedded")
    let model = try Model(contentsOf: "\(base).h5")
    var inputs = try ArrayFile.read("\(base).inputs.npz")
    let position = try #require(inputs.firstIndex { $0.tensor.elementType == .int32 })
    var numbers = inputs[position].tensor.doubles
    numbers[0] = Double(index)
    inputs[position] = NamedTensor(
      name: inputs[position].name,
      tensor: Tensor(.int32, shape: inputs[position].tensor.shape, numbers))
    var options = RunOptions()
    options.engine = engine
    let error = failure { _ = try model.run(inputs, options: options) }
    #expect(error?.reason.contains("not an index from -3 to 2") == true, "\(error as Any)")
  }
}
