import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Finds problems in how the operator handles inputs that do not fit: the shape rule must refuse
  /// them or predict the types of the kernel's outputs. (A trap ends the tests.)
  package func hostileTypeProblems() -> [String] {
    for types in countVariants where (try? operation.checkedOutputTypes(of: types)) != nil {
      if case .variadic = operation.inputs.first { continue }
      return ["takes \(types.count) inputs"]
    }
    // No memory can hold tensors of these sizes, so only the shape rule is tested.
    for types in variants(Self.largeShapes) { _ = try? operation.checkedOutputTypes(of: types) }
    return variants(Self.smallShapes).compactMap(problem)
  }

  private func problem(of types: [TensorType]) -> String? {
    guard let predicted = try? operation.checkedOutputTypes(of: types) else { return nil }
    let tensors = types.enumerated().compactMap { position, type in
      type.fixedShape.map {
        Tensor.random(type.elementType, shape: $0, in: -2...2, seed: UInt64(position))
      }
    }
    do throws(WeighbridgeError) {
      let actual = try operation.evaluate(tensors, workers: Workers(count: 1)).map(\.type)
      let fits =
        operation is any DataDependentOperator
        ? actual.count == predicted.count
          && zip(predicted, actual).allSatisfy { $0.agrees(with: $1) }
        : actual == predicted
      return fits
        ? nil : "of \(types) the rule says \(predicted), and the kernel makes \(actual)"
    } catch {
      return error.code == .mismatch ? nil : "of \(types) the kernel throws \(error)"
    }
  }

  private var countVariants: [[TensorType]] {
    [[], Array(types.dropLast()), types + types.suffix(1)]
  }

  /// Returns the types with one input, or all inputs, replaced by each of their variants.
  private func variants(_ shapes: ([Dimension]) -> [[Dimension]]) -> [[TensorType]] {
    var result: [[TensorType]] = []
    for position in types.indices {
      var changed = types
      for shape in shapes(types[position].shape) {
        changed[position] = types[position].with(shape: shape)
        result.append(changed)
      }
      for elementType in [ElementType.int32, .float16, .bool] {
        changed[position] = TensorType(elementType, types[position].shape)
        result.append(changed)
      }
    }
    let all = types.map { type in shapes(type.shape).map { type.with(shape: $0) } }
    let variantCount = all.map(\.count).min() ?? 0
    return result + (0..<variantCount).map { variant in all.map { $0[variant] } }
  }

  private static func smallShapes(of shape: [Dimension]) -> [[Dimension]] {
    let ranks: [[Dimension]] = [
      [], [3], [0], [2, 2], Array(shape.dropLast()), shape + [2], [1] + shape,
    ]
    return ranks + replacing(shape, by: [0, 1, 2, 7])
  }

  private static func largeShapes(of shape: [Dimension]) -> [[Dimension]] {
    let largest = Dimension.fixed(.max)
    let all: [[Dimension]] = [
      shape.map { _ in largest }, shape.map { _ in .fixed(.max / 2) }, shape.map { _ in .unknown },
      [], [largest],
    ]
    return all + replacing(shape, by: [largest, .fixed(.max / 2), .unknown])
  }

  /// Returns the shape with each single dimension replaced by each of the sizes.
  private static func replacing(
    _ shape: [Dimension], by dimensions: [Dimension]
  ) -> [[Dimension]] {
    shape.indices.flatMap { axis in
      dimensions.map { dimension in
        var changed = shape
        changed[axis] = dimension
        return changed
      }
    }
  }
}
