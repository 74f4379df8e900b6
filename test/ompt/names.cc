/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions in functions of C++, which without debug information are known by their symbols only. */
namespace shop
{
template <class T> struct till {
	static T count(T to);
};

template <class T> __attribute__((noinline)) T till<T>::count(T to)
{
	T sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	sum += to;
	return sum;
}
}

int main()
{
	return shop::till<int>::count(2) != 4 || shop::till<long>::count(3) != 6;
}
