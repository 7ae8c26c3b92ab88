// Times Pinocchio on a robot written by `benches/peers.rs`; see README.md for how to build it.
// Input: lines "joint TYPE PARENT R(9, row-major) p(3) mass com(3) I_com(9)", then "q", "v", "a".
// Output: lines "ALGORITHM nanoseconds", and "torque" with the RNEA result for comparison.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

namespace pin = pinocchio;

static Eigen::VectorXd read_vector(std::istringstream & line)
{
  std::vector<double> values;
  for (double x; line >> x;)
    values.push_back(x);
  return Eigen::Map<Eigen::VectorXd>(values.data(), Eigen::Index(values.size()));
}

static void add_joint(pin::Model & model, std::istringstream & line, int number)
{
  std::string type;
  std::size_t parent;
  line >> type >> parent;
  const Eigen::VectorXd x = read_vector(line);
  typedef Eigen::Matrix<double, 3, 3, Eigen::RowMajor> RowMajor;
  const pin::SE3 placement(RowMajor(Eigen::Map<const RowMajor>(x.data())), x.segment<3>(9));
  const pin::Inertia inertia(
    x[12], x.segment<3>(13), RowMajor(Eigen::Map<const RowMajor>(x.data() + 16)));
  const std::string name = "joint" + std::to_string(number);
  pin::JointIndex id = 0;
  if (type == "free")
    id = model.addJoint(parent, pin::JointModelFreeFlyer(), placement, name);
  else if (type == "x")
    id = model.addJoint(parent, pin::JointModelRX(), placement, name);
  else if (type == "y")
    id = model.addJoint(parent, pin::JointModelRY(), placement, name);
  else
    id = model.addJoint(parent, pin::JointModelRZ(), placement, name);
  model.appendBodyToJoint(id, inertia);
}

// The best of many short batches: a batch is far shorter than a scheduler's time slice, so that
// on a busy machine some of them run undisturbed. benches/peers.rs does the same.
template<typename Call>
static void time_call(const char * name, Call && call)
{
  const int calls = 50;
  double best = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < 400; ++batch)
  {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k)
      call();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / calls);
  }
  std::printf("%s %.2f\n", name, best);
}

int main(int argc, char ** argv)
{
  if (argc != 2)
    return std::fprintf(stderr, "usage: %s MODEL.txt\n", argv[0]), 2;
  std::ifstream file(argv[1]);
  pin::Model model;
  Eigen::VectorXd q, v, a;
  int number = 0;
  for (std::string text; std::getline(file, text);)
  {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "joint")
      add_joint(model, line, number++);
    else if (word == "q")
      q = read_vector(line);
    else if (word == "v")
      v = read_vector(line);
    else if (word == "a")
      a = read_vector(line);
  }
  pin::Data data(model);
  const Eigen::VectorXd torque = pin::rnea(model, data, q, v, a);
  std::printf("torque");
  for (Eigen::Index k = 0; k < torque.size(); ++k)
    std::printf(" %.17g", torque[k]);
  std::printf("\n");

  time_call("rnea", [&] { pin::rnea(model, data, q, v, a); });
  time_call("aba", [&] { pin::aba(model, data, q, v, a); });
  time_call("crba", [&] { pin::crba(model, data, q); });
  time_call("joint_jacobians", [&] { pin::computeJointJacobians(model, data, q); });
  pin::crba(model, data, q);
  time_call("ldl_factorize", [&] { pin::cholesky::decompose(model, data); });
  time_call("rnea_derivatives", [&] { pin::computeRNEADerivatives(model, data, q, v, a); });
  time_call("aba_derivatives", [&] { pin::computeABADerivatives(model, data, q, v, a); });
  return 0;
}
