import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Finds problems in the shape rule: for the example, and for the example with symbolic
  /// dimensions, it must predict the types of the kernel's outputs.
  package func typeProblems() -> [String] {
    let actual: [TensorType]
    do throws(WeighbridgeError) {
      actual = try operation.evaluate(inputs, workers: Workers(count: 1)).map(\.type)
    } catch { return ["cannot be evaluated: \(error)"] }
    var problems = self.problems(of: types, actual, where: "all is known", mayFail: false)
    if problems.isEmpty, let predicted = try? operation.checkedOutputTypes(of: types),
      predicted != actual, !(operation is any DataDependentOperator)
    {
      problems.append("the rule says \(predicted), and the kernel makes \(actual)")
    }
    // A list of sizes has a known length.
    let rank = dataPositions.map { types[$0].rank }.max() ?? 0
    for axis in 0..<rank {
      problems += self.problems(
        of: symbolicTypes { $0 == axis }, actual, where: "axis \(axis) is open",
        mayFail: axis > 0 || operation is Fill || operation is ReshapeTo)
    }
    problems += self.problems(
      of: symbolicTypes { $0 < rank - 1 }, actual, where: "all axes but the last are open",
      mayFail: true)
    problems += self.problems(
      of: symbolicTypes { _ in true }, actual, where: "all axes are open", mayFail: true)
    return problems
  }

  /// Returns the types with the dimensions of the data inputs symbolic along some axes; dimensions
  /// of equal size get the same name.
  private func symbolicTypes(along isSymbolic: (Int) -> Bool) -> [TensorType] {
    var result = types
    for position in dataPositions {
      for axis in result[position].shape.indices where isSymbolic(axis) {
        result[position].shape[axis] = .symbolic("of \(inputs[position].shape[axis])")
      }
    }
    return result
  }

  private func problems(
    of types: [TensorType], _ actual: [TensorType], where what: String, mayFail: Bool
  ) -> [String] {
    do throws(ShapeError) {
      let predicted = try operation.checkedOutputTypes(of: types)
      let fits =
        predicted.count == actual.count
        && zip(predicted, actual).allSatisfy { $0.agrees(with: $1) && Self.namesHold($0, $1) }
      return fits ? [] : ["where \(what), the rule says \(predicted), and it is \(actual)"]
    } catch {
      return mayFail ? [] : ["where \(what), the rule refuses: \(error.reason)"]
    }
  }

  /// Whether each symbolic dimension has the size that ``symbolicTypes(along:)`` named it after.
  private static func namesHold(_ predicted: TensorType, _ actual: TensorType) -> Bool {
    zip(predicted.shape, actual.shape).allSatisfy { predicted, size in
      guard case .symbolic(let name) = predicted else { return true }
      return name == "of \(size)"
    }
  }
}
